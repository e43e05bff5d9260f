import type { RequestOptions } from '../request/request-options.js';
import type { CheckpointStore } from './checkpoint.js';
import type { BulkProgress } from './outcome.js';

/**
 * The items of a bulk method: an array, a generator, a stream, a database cursor. An item may also be a promise.
 */
export type BulkInputs<Input> = Iterable<Input | PromiseLike<Input>> | AsyncIterable<Input>;

/**
 * What a bulk method takes besides its input. `timeout`, `retries` and `headers` are those of each item's call.
 */
export interface BulkOptions extends RequestOptions {
  /**
   * The most items that are worked on at once, 1 or more. The run reads no further ahead. It makes fewer calls at once
   * while the service answers 429. Default: 8.
   */
  readonly concurrency?: number | undefined;
  /**
   * Ends the run early: no further request goes out, and nothing waits for another attempt. What is on the wire is not
   * cut off, which would leave it unknown whether it was carried out; the run ends once that has ended.
   */
  readonly signal?: AbortSignal | undefined;
  /** Called after each item worked on. What it throws is ignored. */
  readonly onProgress?: ((progress: BulkProgress) => void) | undefined;
  /** How many items the input has, for `percent` and `timeLeft`. Default: the length of an array, the size of a set. */
  readonly total?: number | undefined;
  /**
   * Where the run keeps how far it has come. A run with the same checkpoint and the same input, in the same order,
   * continues where the last one ended, however that one ended.
   */
  readonly checkpoint?: CheckpointStore | undefined;
  /** Takes up again what the checkpoint holds as rejected. Default: false. */
  readonly retryRejected?: boolean | undefined;
  /**
   * Stops the run when this many items in a row fail for one cause that lies outside them: the service cannot be
   * reached or fails, a template is refused, or nothing but refusals came since the start. The items stay open for the
   * next run. `Infinity` never stops. Default: 10.
   */
  readonly stopAfter?: number | undefined;
  /**
   * The longest time in milliseconds that the run waits while the service answers nothing but 429, or 503 with
   * `Retry-After`; then it stops. Each item that gets through starts it anew. Default: 600,000 (10 minutes).
   */
  readonly patience?: number | undefined;
}

/** What `transactional.sendMany` and `transactional.sendEach` take besides their input. */
export interface SendManyOptions extends BulkOptions {
  /**
   * Sends again what the checkpoint holds as unknown. Each of these may reach its contact a second time: only for
   * when you have found out that they did not arrive, or when twice is better than never. Default: false.
   */
  readonly retryUnknown?: boolean | undefined;
}
