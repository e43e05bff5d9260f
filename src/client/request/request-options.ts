import { longestDelay } from '../../foundation/clock.js';
import {
  aWholeNumber,
  type FieldProblem,
  hasMethods,
  type OptionCheck,
  type OptionChecks,
  problemsWith,
} from '../../foundation/options.js';
import { problemWithHeaders } from './headers.js';

/** Options of a single call. */
export interface RequestOptions {
  /** Aborts the call. The call then rejects with the reason of this signal. */
  readonly signal?: AbortSignal | undefined;
  /** The deadline of this call in milliseconds. Default: the client's `timeout`. */
  readonly timeout?: number | undefined;
  /** How many times the client may retry this call. 0 means one request. Default: the client's `retries`. */
  readonly retries?: number | undefined;
  /** Headers of this call. They override the client's `headers`. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Options of `transactional.send`. */
export interface SendOptions extends RequestOptions {
  /**
   * Names the message, such as `order-1001-shipped`, so that it is sent once: however often, and in however many processes,
   * you send with this key. 1 to 255 characters. Needs the client's option `idempotencyStore`. Default: none; each call sends.
   */
  readonly idempotencyKey?: string | undefined;
}

/** Options of `events.track`. */
export interface TrackOptions extends RequestOptions {
  /**
   * Names the event, such as `order-1001-placed`, so that it is tracked once: however often, and in however many processes, you track it
   * with this key. 1 to 255 characters. Needs the client's option `idempotencyStore`. A message and an event may have the same key.
   * Default: none; each call tracks.
   */
  readonly idempotencyKey?: string | undefined;
}

/** Further options with which a bulk run paces its calls itself. */
export interface CallOptions extends RequestOptions {
  /** Whether the call waits and retries after a 429. Default: true. */
  readonly retryRateLimits?: boolean | undefined;
  /**
   * When it aborts, the call makes no further attempt and stops waiting for one: it rejects with its last failure. An
   * attempt in flight continues.
   */
  readonly noMoreAttempts?: AbortSignal | undefined;
}

/** What an idempotency key must be. */
export const anIdempotencyKey: OptionCheck = [
  (value) => typeof value === 'string' && value.length >= 1 && value.length <= 255,
  'a string of 1 to 255 characters',
  'required',
];

/** The deadline of a call. */
export const aTimeout: OptionCheck = [
  (value) => Number.isFinite(value) && Number(value) > 0 && Number(value) <= longestDelay,
  `a number of milliseconds above 0 and not above ${longestDelay}`,
];

const checks: OptionChecks = {
  // The methods and not the class, because a signal may come from another realm.
  signal: [
    (value) =>
      typeof Reflect.get(Object(value), 'aborted') === 'boolean' && hasMethods('addEventListener')(value),
    "an AbortSignal: a controller's is its property signal",
  ],
  timeout: aTimeout,
  retries: aWholeNumber(0),
};

/** Checks the options of a call. */
export function problemsWithOptions(options: RequestOptions): readonly FieldProblem[] {
  const header = options.headers && problemWithHeaders(options.headers);
  return [...problemsWith(options, checks), ...(header ? [header] : [])];
}
