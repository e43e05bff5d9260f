import type { SendInput } from '../../contract/transactional.js';
import type { Clock } from '../../foundation/clock.js';
import {
  aFunction,
  aWholeNumber,
  type OptionCheck,
  type OptionChecks,
  problemsWith,
} from '../../foundation/options.js';
import { InvalidInputError } from '../errors/no-response-errors.js';
import { type CallOptions, problemsWithOptions, type RequestOptions } from '../request/request-options.js';
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
   * the service responds with 429. Default: 8.
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
  readonly maxConsecutiveFailures?: number | undefined;
  /**
   * The longest time in milliseconds that the run waits while the service responds only with 429, or 503 with
   * `Retry-After`. Then it stops. Each item that the service carries out or rejects for another reason restarts this
   * time. Default: 600,000 (10 minutes).
   */
  readonly maxRateLimitWait?: number | undefined;
}

/** Options of `transactional.sendMany` and `transactional.sendEach`. */
export interface SendManyOptions<Input = SendInput> extends BulkOptions {
  /**
   * Returns the idempotency key of an item: see {@link SendOptions.idempotencyKey}. Runs whose items have keys send no message
   * twice, also without a `checkpoint`, in any order and in several processes. Default: none.
   */
  readonly idempotencyKey?: ((input: Input, index: number) => string) | undefined;
  /**
   * Sends again the items that the checkpoint records as unknown. Their contacts may get the message twice. Use it if
   * you know that these messages did not arrive, or if a duplicate is better than a missing message. Default: false.
   */
  readonly retryUnknown?: boolean | undefined;
}

/** The client's clock and randomness, for the waits of a run. */
export interface BulkTiming {
  readonly clock: Clock;
  readonly random: () => number;
}

/** A bulk call: its items, the call for each item, and its options. */
export interface BulkJob<Input, Data> {
  readonly operation: { readonly name: string; readonly repeatable: boolean };
  readonly inputs: BulkInputs<Input>;
  readonly options: Omit<SendManyOptions, 'idempotencyKey'>;
  readonly timing: BulkTiming;
  /** A method and not a property, so that a job of a specific item type is assignable to a job of any type. */
  call(input: Input, options: CallOptions, index: number): PromiseLike<Data>;
  /** The template of a send. The service may reject all items with the same template. */
  templateOf?(input: Input): string;
  /** Whether the body of a success says that the call was carried out. Default: every success does. */
  isConfirmed?(data: Data): boolean;
}

const [isCount] = aWholeNumber(1);

const checks: OptionChecks = {
  idempotencyKey: aFunction,
  concurrency: aWholeNumber(1),
  maxConsecutiveFailures: [
    (value) => isCount(value) || value === Number.POSITIVE_INFINITY,
    'a whole number, 1 or more, or Infinity',
  ],
  total: aWholeNumber(0),
  maxRateLimitWait: [
    (value) => typeof value === 'number' && value >= 0,
    'a number of milliseconds, 0 or more, or Infinity',
  ],
};

/**
 * Checks the options of a bulk call. Each item is checked by its own call; a mistake in the options would otherwise reject
 * every item.
 */
export function checkJob({ operation, inputs, options }: BulkJob<unknown, unknown>): void {
  const problems = [
    ...problemsWithOptions(options),
    ...problemsWith({ inputs }, { inputs: anIterable }),
    ...problemsWith(options, checks),
  ];
  if (problems.length > 0) throw new InvalidInputError(`${operation.name}Many`, problems);
}

const anIterable: OptionCheck = [
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    (Symbol.asyncIterator in value || Symbol.iterator in value),
  'an iterable or async iterable of inputs, such as an array or a generator',
  'required',
];
