import type { Outcome } from './errors/request-error.js';

/**
 * The waits between attempts: the first is about `initial`, each later one twice as long, and none above `max`.
 * Chance shortens each by up to a half, so that clients do not all come back at once.
 *
 * Where the service sends `Retry-After`, the wait is never shorter than that, nor than the backoff alone; chance then
 * adds up to half of the backoff.
 *
 * @example
 * ```ts
 * import { type Backoff, MessagingAutomation } from 'messaging-automation';
 *
 * const backoff: Backoff = { initial: 200, max: 2_000 };
 * const messaging = new MessagingAutomation({ backoff });
 * console.log(await messaging.templates.list());
 * ```
 */
export interface Backoff {
  /** The first wait in milliseconds. Default: 500. */
  readonly initial: number;
  /** The longest wait in milliseconds. Default: 8,000. */
  readonly max: number;
}

/** What the policy needs to know of a failed attempt. */
export interface FailedAttempt {
  readonly outcome: Outcome;
  /** Whether the cause may pass by itself. */
  readonly temporary: boolean;
  /** How long the service asked to wait, in milliseconds. */
  readonly retryAfter?: number | undefined;
}

export interface RetryPolicy {
  readonly backoff: Backoff;
  readonly maxRetryAfter: number;
  readonly random: () => number;
}

/**
 * Whether making the request again could help and cannot harm. An operation that does more when sent twice is
 * repeated only when the service surely has not done it.
 */
export function isRetryable(repeatable: boolean, { temporary, outcome }: FailedAttempt): boolean {
  return temporary && (repeatable || outcome !== 'unknown');
}

/**
 * How many milliseconds to wait after failed attempt number `attempt`, counted from 1; `undefined` when the
 * service asks for a longer wait than the policy allows.
 */
export function retryDelay(policy: RetryPolicy, attempt: number, failed: FailedAttempt): number | undefined {
  const { retryAfter = 0 } = failed;
  if (retryAfter > policy.maxRetryAfter) return undefined;
  const whole = Math.min(policy.backoff.max, policy.backoff.initial * 2 ** (attempt - 1));
  const chance = (policy.random() * whole) / 2;
  return Math.max(whole - chance, retryAfter + chance);
}

const certainty: readonly Outcome[] = ['not_sent', 'rejected', 'unknown'];

/** The less certain of two outcomes, for a call of several attempts. */
export function leastCertain(one: Outcome, other: Outcome): Outcome {
  return certainty.indexOf(one) > certainty.indexOf(other) ? one : other;
}

/** `Retry-After`, in seconds or as an HTTP date, as milliseconds from `now`. */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  // Date.parse would take "-5" or "12" for a date; an HTTP date begins with the name of a day.
  const date = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
