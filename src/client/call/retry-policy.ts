import type { Failure } from '../errors/failure.js';
import type { Outcome } from '../errors/request-error.js';

/**
 * The waits between attempts. The first wait is `initial`, each later one is twice as long, up to `max`. Random jitter
 * shortens each wait by up to half, so that clients do not retry at the same moment.
 *
 * If the service sends `Retry-After`, the wait is at least that long. It is also never shorter than the backoff would
 * be. The jitter then adds up to half of the backoff.
 */
export interface Backoff {
  /** The first wait in milliseconds. Default: 500. */
  readonly initial: number;
  /** The longest wait in milliseconds. Default: 8,000. */
  readonly max: number;
}

/** The settings that decide how long the client waits before a retry. */
export interface RetryPolicy {
  readonly backoff: Backoff;
  readonly maxRetryAfter: number;
  readonly random: () => number;
}

/**
 * Whether a retry may succeed and cannot repeat an effect. An operation that is not idempotent is retried only if the
 * service certainly has not carried it out.
 */
export function isRetryable(
  repeatable: boolean,
  { temporary, outcome }: Pick<Failure, 'temporary' | 'outcome'>,
): boolean {
  return temporary && (repeatable || outcome !== 'unknown');
}

/**
 * How many milliseconds to wait after the failed attempt number `attempt`, counted from 1. `undefined` if the service
 * asks for a longer wait than the policy allows.
 */
export function retryDelay(policy: RetryPolicy, attempt: number, failed: Failure): number | undefined {
  const { retryAfter = 0 } = failed;
  if (retryAfter > policy.maxRetryAfter) return undefined;
  const whole = Math.min(policy.backoff.max, policy.backoff.initial * 2 ** (attempt - 1));
  const chance = (policy.random() * whole) / 2;
  return Math.max(whole - chance, retryAfter + chance);
}

const certainty: readonly Outcome[] = ['not_sent', 'rejected', 'unknown'];

/** The less certain of two outcomes, for a call with several attempts. */
export function leastCertain(one: Outcome, other: Outcome): Outcome {
  return certainty.indexOf(one) > certainty.indexOf(other) ? one : other;
}
