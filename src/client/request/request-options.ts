import type { FieldProblem } from '../../foundation/field-problem.js';
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

/** The longest delay that timers of common runtimes support, about 24 days, in milliseconds. */
const longestTimer = 2_147_483_647;

/** Checks the options of a call, and the options of a client with the same names. */
export function problemsWithOptions({
  signal,
  timeout,
  retries,
  headers,
}: RequestOptions): readonly FieldProblem[] {
  const wrong = [
    signal !== undefined &&
      !isSignal(signal) &&
      problem('signal', "an AbortSignal: a controller's is its property signal"),
    timeout !== undefined &&
      !(Number.isFinite(timeout) && timeout > 0 && timeout <= longestTimer) &&
      problem('timeout', `a number of milliseconds above 0 and not above ${longestTimer}`),
    retries !== undefined &&
      !(Number.isInteger(retries) && retries >= 0) &&
      problem('retries', 'a whole number, 0 or more'),
    headers !== undefined && problemWithHeaders(headers),
  ];
  return wrong.filter((found) => typeof found === 'object');
}

function problem(field: string, wanted: string): FieldProblem {
  return { field, message: `must be ${wanted}` };
}

/** Checks the methods and not the class, because a signal may come from another realm. */
function isSignal(signal: AbortSignal): boolean {
  return typeof signal?.aborted === 'boolean' && typeof signal.addEventListener === 'function';
}
