import { RateLimitedError } from '../model/service-error.js';
import { toMilliseconds } from '../time/duration.js';
import type { WorkspaceContext } from './context.js';

/** How many requests a workspace may make in how long, where that is bounded: §8 shows no limit. */
export class RateLimit {
  readonly #context: WorkspaceContext;
  /** When the time that is counted now began, in epoch milliseconds. */
  #start = Number.NEGATIVE_INFINITY;
  #requests = 0;

  constructor(context: WorkspaceContext) {
    this.#context = context;
  }

  /** Begins to count anew. */
  forget(): void {
    this.#start = Number.NEGATIVE_INFINITY;
  }

  /** Counts a request. Throws a `RateLimitedError` for one too many. */
  admit(): void {
    const { gaps, environment } = this.#context;
    if (gaps.rateLimit === 'off') return;
    const { requests } = gaps.rateLimit;
    const per = toMilliseconds(gaps.rateLimit.per);
    const now = environment.clock.now();
    // A workspace that was put back to an earlier state is before the start.
    if (now < this.#start || now >= this.#start + per) {
      this.#start = now;
      this.#requests = 0;
    }
    if (this.#requests >= requests) {
      throw new RateLimitedError(
        `The limit is ${requests} requests in ${per / 1000} s. Come back after the time in Retry-After.`,
        this.#start + per - now,
      );
    }
    this.#requests += 1;
  }
}
