import { RateLimitedError } from '../model/service-error.js';
import { toMilliseconds } from '../time/duration.js';
import type { WorkspaceContext } from './context.js';

/** Limits the requests of a workspace per period, if configured. §8 shows no limit. */
export class RateLimit {
  readonly #context: WorkspaceContext;
  /** When the current period began, in epoch milliseconds. */
  #start = Number.NEGATIVE_INFINITY;
  #requests = 0;

  constructor(context: WorkspaceContext) {
    this.#context = context;
  }

  /** Resets the count. */
  forget(): void {
    this.#start = Number.NEGATIVE_INFINITY;
  }

  /** Counts a request. Throws a `RateLimitedError` beyond the limit. */
  admit(): void {
    const { gaps, environment } = this.#context;
    if (gaps.rateLimit === 'off') return;
    const { requests } = gaps.rateLimit;
    const per = toMilliseconds(gaps.rateLimit.per);
    const now = environment.clock.now();
    if (now >= this.#start + per) {
      this.#start = now;
      this.#requests = 0;
    }
    if (this.#requests >= requests) {
      throw new RateLimitedError(
        `The limit is ${requests} requests in ${per / 1000} s. Retry after the time in the header Retry-After.`,
        this.#start + per - now,
      );
    }
    this.#requests += 1;
  }
}
