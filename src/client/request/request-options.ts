import type { FieldProblem } from '../../foundation/field-problem.js';
import { problemWithHeaders } from './headers.js';

/** What any call takes besides its input. */
export interface RequestOptions {
  /** Ends the call: it then rejects with this signal's reason, as it is. */
  readonly signal?: AbortSignal | undefined;
  /** The deadline of this call in milliseconds, in place of the client's. */
  readonly timeout?: number | undefined;
  /** How many times this call may be made again, in place of the client's; 0 means one request. */
  readonly retries?: number | undefined;
  /** Headers for this call, over the client's. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What a bulk run asks of its calls besides, to pace them itself. */
export interface CallOptions extends RequestOptions {
  /** Whether the call itself waits and tries again after a 429. Default: true. */
  readonly retryRateLimits?: boolean | undefined;
  /**
   * When it aborts, no further attempt is made, and a wait for one ends at once: the call rejects with its last
   * failure. An attempt on the wire goes on to its end.
   */
  readonly noMoreAttempts?: AbortSignal | undefined;
}

/** The longest delay that timers of today's runtimes keep, some 24 days. */
const longestTimer = 2_147_483_647;

/** What is wrong with the options of a call, or with those of a client by the same names. */
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

/** Asked of what it has, not of its class: a signal may be of another realm. */
function isSignal(signal: AbortSignal): boolean {
  return typeof signal?.aborted === 'boolean' && typeof signal.addEventListener === 'function';
}
