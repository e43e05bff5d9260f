import type { FieldProblem } from '../../foundation/field-problem.js';

/**
 * What any call takes besides its input.
 *
 * @example
 * ```ts
 * import { MessagingAutomation, type RequestOptions } from 'messaging-automation';
 *
 * const messaging = new MessagingAutomation();
 * const options: RequestOptions = { timeout: 5_000, retries: 0, headers: { 'x-trace': 'nightly-import' } };
 * console.log(await messaging.templates.list(options));
 * ```
 */
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

export function problemWithTimeout(timeout: number): FieldProblem | undefined {
  if (Number.isFinite(timeout) && timeout > 0 && timeout <= longestTimer) return undefined;
  const message = `must be a number of milliseconds above 0 and not above ${longestTimer}`;
  return { field: 'timeout', message };
}

export function problemWithRetries(retries: number): FieldProblem | undefined {
  if (Number.isInteger(retries) && retries >= 0) return undefined;
  return { field: 'retries', message: 'must be a whole number, 0 or more' };
}
