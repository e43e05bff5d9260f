import { RateLimitedError } from '../model/service-error.js';
import type { AdmissionStore, Period } from '../store/shared-store.js';
import { toMilliseconds } from '../time/duration.js';
import type { WorkspaceContext } from './context.js';

/**
 * Counts a request, if `specGaps` limits the requests of a workspace. The service's document shows no limit.
 *
 * @throws RateLimitedError beyond the limit.
 */
export async function admitRequest({ gaps, environment, admissions }: WorkspaceContext): Promise<void> {
  const { rateLimit } = gaps();
  if (rateLimit === 'off') return;
  const { requests: limit } = rateLimit;
  const length = toMilliseconds(rateLimit.per);
  const now = environment.clock.now();
  const { startedAt, requests } = await admissions.count(now, length);
  if (requests <= limit) return;
  throw new RateLimitedError(
    `The limit is ${limit} requests in ${length / 1000} s. Retry after the time in the header Retry-After.`,
    startedAt + length - now,
  );
}

const nothingYet: Period = { startedAt: Number.NEGATIVE_INFINITY, requests: 0 };

/** Counts the requests of a workspace that no other process shares. */
export class OwnAdmissions implements AdmissionStore {
  #period = nothingYet;

  async count(now: number, length: number): Promise<Period> {
    const { startedAt, requests } = this.#period;
    this.#period =
      now >= startedAt + length ? { startedAt: now, requests: 1 } : { startedAt, requests: requests + 1 };
    return this.#period;
  }

  async clear(): Promise<void> {
    this.#period = nothingYet;
  }
}
