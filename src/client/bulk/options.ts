import type { RequestOptions } from '../request/request-options.js';
import type { CheckpointStore } from './checkpoint.js';
import type { BulkProgress } from './outcome.js';

/**
 * The input of a bulk method: an array, a generator, a stream or a database cursor. An item may also be a promise.
 */
export type BulkInputs<Input> = Iterable<Input | PromiseLike<Input>> | AsyncIterable<Input>;

/** Options of a bulk method. `timeout`, `retries` and `headers` apply to the call of each item. */
export interface BulkOptions extends RequestOptions {
  /**
   * The maximum number of concurrent items, 1 or more. The run reads no further ahead, and lowers its concurrency while
   * the service answers 429. Default: 8.
   */
  readonly concurrency?: number | undefined;
  /**
   * Stops the run early: it sends no further request and does not retry. It waits for requests in flight, because
   * aborting them would leave their outcome unknown. Default: none.
   */
  readonly signal?: AbortSignal | undefined;
  /** Called after each item. The run ignores what it throws. Default: none. */
  readonly onProgress?: ((progress: BulkProgress) => void) | undefined;
  /**
   * The number of items in the input, for `percent` and `timeLeft`. Default: the length of an array or the size of a
   * set.
   */
  readonly total?: number | undefined;
  /**
   * Stores the progress of the job. A run with the same checkpoint and the same input in the same order continues where
   * the last run ended, even after a crash. Default: none.
   */
  readonly checkpoint?: CheckpointStore | undefined;
  /** Retries the items that the checkpoint records as rejected. Default: false. */
  readonly retryRejected?: boolean | undefined;
  /**
   * Stops the run after this many consecutive items fail for a cause outside the items: the service fails or cannot be
   * reached, a template is rejected, or every item so far was rejected. Those items stay open for the next run.
   * `Infinity` never stops. Default: 10.
   */
  readonly stopAfter?: number | undefined;
  /**
   * The longest time in milliseconds that the run waits while the service answers only with 429, or 503 with
   * `Retry-After`. Then it stops. Each item that the service carries out or rejects for another reason restarts this
   * time. Default: 600,000 (10 minutes).
   */
  readonly patience?: number | undefined;
}

/** Options of `transactional.sendMany` and `transactional.sendEach`. */
export interface SendManyOptions extends BulkOptions {
  /**
   * Sends again the items that the checkpoint records as unknown. Their contacts may get the message twice. Use it if
   * you know that these messages did not arrive, or if a duplicate is better than a missing message. Default: false.
   */
  readonly retryUnknown?: boolean | undefined;
}
