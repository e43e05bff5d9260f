import type { Failure } from '../errors/failure.js';
import type { Outcome } from '../errors/request-error.js';

/**
 * The waits between attempts: the first is about `initial`, each later one twice as long, and none above `max`.
 * Chance shortens each by up to a half, so that clients do not all come back at once.
 *
 * Where the service sends `Retry-After`, the wait is never shorter than that, nor than the backoff alone; chance then
 * adds up to half of the backoff.
 */
export interface Backoff {
  /** The first wait in milliseconds. Default: 500. */
  readonly initial: number;
  /** The longest wait in milliseconds. Default: 8,000. */
  readonly max: number;
}

/** When a client tries again, and how long it waits before that. */
export interface RetryPolicy {
  readonly backoff: Backoff;
  readonly maxRetryAfter: number;
  readonly random: () => number;
}

/**
 * Whether making the request again could help and cannot harm. An operation that does more when sent twice is
 * repeated only when the service surely has not done it.
 */
export function isRetryable(
  repeatable: boolean,
  { temporary, outcome }: Pick<Failure, 'temporary' | 'outcome'>,
): boolean {
  return temporary && (repeatable || outcome !== 'unknown');
}

/**
 * How many milliseconds to wait after failed attempt number `attempt`, counted from 1; `undefined` when the
 * service asks for a longer wait than the policy allows.
 */
export function retryDelay(policy: RetryPolicy, attempt: number, failed: Failure): number | undefined {
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
