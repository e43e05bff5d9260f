import { RateLimitedError } from '../model/service-error.js';
import { toMilliseconds } from '../time/duration.js';
import type { WorkspaceContext } from './context.js';

/** Limits the requests of a workspace per period, if configured. The service's document shows no limit. */
export class RateLimit {
  readonly #context: WorkspaceContext;

  constructor(context: WorkspaceContext) {
    this.#context = context;
  }

  /** Counts a request. Throws a `RateLimitedError` beyond the limit. */
  async admit(): Promise<void> {
    const { gaps, environment, admissions } = this.#context;
    if (gaps.rateLimit === 'off') return;
    const { requests: limit } = gaps.rateLimit;
    const length = toMilliseconds(gaps.rateLimit.per);
    const now = environment.clock.now();
    const { startedAt, requests } = await admissions.count(now, length);
    if (requests <= limit) return;
    throw new RateLimitedError(
      `The limit is ${limit} requests in ${length / 1000} s. Retry after the time in the header Retry-After.`,
      startedAt + length - now,
    );
  }
}
