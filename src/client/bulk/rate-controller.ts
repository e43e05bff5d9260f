import { steadyTime } from '../../foundation/clock.js';
import type { BulkSettings } from './options.js';

/**
 * The permission to make one call, which the caller must release: the number of pauses before it. If a call began before a
 * pause, its failure does not cause another pause.
 */
export type Permit = number;

/** In milliseconds: the first wait after a 429 without `Retry-After`, the first after an outage, and the longest. */
const [firstWait, firstOutageWait, longestWait] = [1_000, 5_000, 60_000];

/** How a pause begins. */
interface Pause {
  /** How many calls may run at once after it. */
  readonly newLimit: number;
  /** How long the first pause in a row lasts, in milliseconds. Each further one lasts twice as long as the one before. */
  readonly firstWait: number;
  /** How long the service asked to wait, in milliseconds. */
  readonly retryAfter?: number | undefined;
}

/**
 * The rate of a run: the number of concurrent calls, and the pause that all calls share.
 *
 * It works like TCP congestion control: each call that the service processes raises the concurrency a little, each
 * pause halves it. A pause lasts as long as `Retry-After` says; without that header, twice as long as the pause before.
 */
export class RateController {
  readonly #settings: BulkSettings;
  readonly #most: number;
  readonly #maxRateLimitWait: number;
  readonly #waiting: ((permit: Permit | undefined) => void)[] = [];
  /** How many calls may run at once, and how many do. */
  #limit: number;
  #running = 0;
  #pauses = 0;
  /** The number of pauses since the service last processed a call, and their total in milliseconds. */
  #pausesInARow = 0;
  #waited = 0;
  #pausedUntil: number | undefined;
  #cancelTimer = () => {};
  #stopped = false;

  /**
   * @param most The maximum number of concurrent calls.
   * @param maxRateLimitWait The longest time to wait while the service processes no call, in milliseconds.
   */
  constructor(settings: BulkSettings, most: number, maxRateLimitWait: number) {
    this.#settings = settings;
    this.#most = most;
    this.#limit = most;
    this.#maxRateLimitWait = maxRateLimitWait;
  }

  get isPaused(): boolean {
    return this.#pausedUntil !== undefined;
  }

  /** Waits for the permission to make a call; `undefined` after `stop`. With `again`, it comes first in the queue. */
  acquire(again: boolean): Promise<Permit | undefined> {
    if (this.#stopped) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      if (again) this.#waiting.unshift(resolve);
      else this.#waiting.push(resolve);
      this.#grantPermits();
    });
  }

  /** Call it when the call was not made, or says nothing about the rate. */
  release(): void {
    this.#running -= 1;
    this.#grantPermits();
  }

  /** Call it when the service accepted or rejected the call itself. */
  processed(permit: Permit): void {
    if (permit === this.#pauses) this.#limit = Math.min(this.#most, this.#limit + 1 / this.#limit);
    this.#pausesInARow = 0;
    this.#waited = 0;
    this.release();
  }

  /**
   * Call it when the service asked for fewer calls. All calls pause, and then continue with half the concurrency.
   *
   * @returns Whether the wait is within `maxRateLimitWait`.
   */
  rateLimited(permit: Permit, retryAfter: number | undefined): boolean {
    return this.#pause(permit, { newLimit: Math.max(1, Math.floor(this.#limit / 2)), firstWait, retryAfter });
  }

  /**
   * Call it when consecutive calls failed. All calls pause, and then one at a time checks whether the service is back.
   *
   * @returns Whether the wait is within `maxRateLimitWait`.
   */
  failing(permit: Permit): boolean {
    return this.#pause(permit, { newLimit: 1, firstWait: firstOutageWait });
  }

  /** Allows no further call. Pending `acquire` calls resolve with `undefined`. */
  stop(): void {
    this.#stopped = true;
    this.#cancelTimer();
    for (const resolve of this.#waiting.splice(0)) resolve(undefined);
  }

  #grantPermits(): void {
    while (!this.isPaused && this.#running < Math.floor(this.#limit)) {
      const resolve = this.#waiting.shift();
      if (resolve === undefined) return;
      this.#running += 1;
      resolve(this.#pauses);
    }
  }

  #pause(permit: Permit, pause: Pause): boolean {
    const isFirst = permit === this.#pauses;
    if (isFirst) {
      this.#pauses += 1;
      this.#pausesInARow += 1;
      this.#limit = pause.newLimit;
    }
    const mayExtend = isFirst || pause.retryAfter !== undefined;
    if (mayExtend && !this.#stopped) this.#pauseFor(this.#waitOf(pause));
    this.release();
    return this.#waited <= this.#maxRateLimitWait;
  }

  /** Pauses all calls for so many milliseconds, unless they pause longer already. */
  #pauseFor(wait: number): void {
    const { clock } = this.#settings;
    const now = steadyTime(clock);
    const since = this.#pausedUntil ?? now;
    const until = now + wait;
    if (until <= since) return;
    this.#waited += until - since;
    this.#pausedUntil = until;
    this.#cancelTimer();
    this.#cancelTimer = clock.setTimer(() => {
      this.#pausedUntil = undefined;
      this.#grantPermits();
    }, wait);
  }

  /** Adds random jitter, so that runs with the same key do not resume at the same moment. Never too early. */
  #waitOf({ firstWait: first, retryAfter }: Pause): number {
    const chance = this.#settings.random();
    if (retryAfter !== undefined)
      return Math.max(first, retryAfter) + Math.min(1_000, retryAfter / 10) * chance;
    return Math.min(longestWait, first * 2 ** (this.#pausesInARow - 1)) * (1 - chance / 2);
  }
}
