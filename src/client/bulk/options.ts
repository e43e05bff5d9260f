import type { TrackInput } from '../../contract/event.js';
import type { Redact } from '../../contract/redaction.js';
import type { SendInput } from '../../contract/transactional.js';
import type { Clock } from '../../foundation/clock.js';
import {
  aFunction,
  aWholeNumber,
  hasMethods,
  type OptionCheck,
  type OptionChecks,
  problemsWith,
  protects,
  trueOrFalse,
} from '../../foundation/options.js';
import { InvalidInputError } from '../errors/no-response-errors.js';
import type { Outcome } from '../errors/request-error.js';
import {
  type CallOptions,
  keyChecks,
  problemsWithHeaders,
  type RequestOptions,
  requestChecks,
  type SendOptions,
} from '../request/request-options.js';
import type { CheckpointStore } from './checkpoint.js';
import type { BulkProgress } from './outcome.js';

/**
 * The input of a bulk method: an array, a generator, a stream or a database cursor. An item may also be a promise.
 */
export type BulkInputs<Input> = Iterable<Input | PromiseLike<Input>> | AsyncIterable<Input>;

/** Options of a bulk method. `timeout`, `retries` and `headers` apply to the call of each item. */
export interface BulkOptions extends RequestOptions {
  /**
   * The maximum number of concurrent items, 1 or more. The run lowers its concurrency while the service responds with 429.
   * Items of one contact run one after the other, in the order of the input. While some wait for an earlier one of their
   * contact, the run reads ahead for others: at most 16 times `concurrency` items wait. Default: 8.
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
   * the last run ended, even after a crash. A run refuses `undefined`. Default: none.
   */
  readonly checkpoint?: CheckpointStore;
  /**
   * Retries the items that the checkpoint records as rejected, even if a later item of their contact is done. Default:
   * false.
   */
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
   * time. `Infinity` sets no limit. Default: 600,000 (10 minutes).
   */
  readonly maxRateLimitWait?: number | undefined;
}

/** Options of `transactional.sendMany` and `transactional.sendEach`. */
export interface SendManyOptions<Input = SendInput> extends BulkOptions {
  /**
   * Returns the idempotency key of an item: see {@link SendOptions.idempotencyKey}. Runs whose items have keys send no message
   * twice, also without a `checkpoint`, in any order and in several processes. With a `checkpoint`, a later run with keys resolves the
   * unknown items by their keys. Default: none.
   */
  readonly idempotencyKey?: (input: Input, index: number) => string;
  /**
   * Sends again the items that the checkpoint records as unknown. Their contacts may get the message twice. Use it if
   * you know that these messages did not arrive, or if a duplicate is better than a missing message. Default: false.
   */
  readonly retryUnknown?: boolean | undefined;
}

/** Options of `events.trackMany` and `events.trackEach`. */
export interface TrackManyOptions<Input = TrackInput> extends BulkOptions {
  /**
   * Returns the idempotency key of an item: see {@link TrackOptions.idempotencyKey}. Runs whose items have keys track no event
   * twice, also without a `checkpoint`, in any order and in several processes. With a `checkpoint`, a later run with keys resolves the
   * unknown items by their keys. Default: none.
   */
  readonly idempotencyKey?: (input: Input, index: number) => string;
  /**
   * Tracks again the items that the checkpoint records as unknown. Their journeys may start twice. Use it if you know that
   * the service did not get these events, or if a duplicate is better than a missing event. Default: false.
   */
  readonly retryUnknown?: boolean | undefined;
}

/** What a run has of its client: the clock and the randomness for its waits, what removes secrets from a text, and whether keys have a store. */
export interface BulkSettings {
  readonly clock: Clock;
  readonly random: () => number;
  readonly redact: Redact;
  readonly idempotencyStore?: unknown;
}

/** The response of a call. */
export interface BulkResponse<Data> {
  readonly data: Data;
  readonly response: { readonly status: number };
  readonly requestId: string | undefined;
  readonly attempts: number;
}

/** A call that was made, whose response is awaited. */
export interface BulkCall<Data> {
  /** What has become of its request so far. `undefined` once it has succeeded. */
  readonly outcome: Outcome | undefined;
  withResponse(): Promise<BulkResponse<Data>>;
}

/**
 * A bulk call: its items, the call for each item, and its options. It has methods and not properties, so that a job of a
 * specific item type is assignable to a job of any type.
 */
export interface BulkJob<Input, Data> {
  readonly operation: { readonly name: string; readonly repeatable: boolean; readonly result: object };
  readonly inputs: BulkInputs<Input>;
  readonly options: BulkOptions & { readonly retryUnknown?: boolean | undefined };
  readonly settings: BulkSettings;
  call(input: Input, options: CallOptions & SendOptions): BulkCall<Data>;
  /** The contact of an item, by its phone or its id. Items of one contact keep their order. */
  contactOf(input: Input): string | undefined;
  /** The idempotency key of an item. Without it, items have no keys. */
  keyOf?(input: Input, index: number): string;
  /** The template of a send. The service may reject all items with the same template. */
  templateOf?(input: Input): string;
}

const [isCount] = aWholeNumber(1);

const checks: OptionChecks = {
  ...requestChecks,
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
  onProgress: aFunction,
  checkpoint: protects([
    hasMethods('load', 'save'),
    'what fileCheckpoint returns, or another object with the methods load and save',
  ]),
  retryRejected: trueOrFalse,
};

/**
 * Checks the options of a bulk call. Each item is checked by its own call; a mistake in the options would otherwise reject
 * every item.
 */
export function checkJob({ operation, inputs, options, settings }: BulkJob<unknown, unknown>): void {
  const whereRepeatsHarm = { ...keyChecks(settings, aFunction), retryUnknown: trueOrFalse };
  const problems = [
    ...problemsWith({ inputs }, { inputs: anIterable }),
    ...problemsWith(options, operation.repeatable ? checks : { ...checks, ...whereRepeatsHarm }),
    ...problemsWithHeaders(options),
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
