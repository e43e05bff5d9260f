import { steadyTime } from '../../foundation/clock.js';
import type { BulkJob } from './job.js';

/** The permission to make one call. The caller must release it. */
export interface Turn {
  /** The number of pauses before it. If a call began before a pause, its failure does not cause another pause. */
  readonly pauses: number;
}

/** In milliseconds: the first wait after a 429 without `Retry-After`, the first after an outage, and the longest. */
const [firstWait, firstOutageWait, longestWait] = [1_000, 5_000, 60_000];

/**
 * The pace of a run: the number of concurrent calls, and the pause that all calls share.
 *
 * It works like TCP congestion control: each call that the service processes raises the concurrency a little, each
 * pause halves it. A pause lasts as long as `Retry-After` says; without that header, twice as long as the pause before.
 */
export class Pace {
  readonly #timing: BulkJob<unknown, unknown>['timing'];
  readonly #most: number;
  readonly #patience: number;
  readonly #waiting: ((turn: Turn | undefined) => void)[] = [];
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
   * @param patience The longest time to wait while the service processes no call, in milliseconds.
   */
  constructor(timing: BulkJob<unknown, unknown>['timing'], most: number, patience: number) {
    this.#timing = timing;
    this.#most = most;
    this.#limit = most;
    this.#patience = patience;
  }

  get paused(): boolean {
    return this.#pausedUntil !== undefined;
  }

  /** Waits for the permission to make a call; `undefined` after `stop`. With `again`, it comes first in the queue. */
  turn(again: boolean): Promise<Turn | undefined> {
    if (this.#stopped) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      if (again) this.#waiting.unshift(resolve);
      else this.#waiting.push(resolve);
      this.#grantTurns();
    });
  }

  /** Call it when the service accepted or rejected the call itself. */
  processed(turn: Turn): void {
    if (turn.pauses === this.#pauses) this.#limit = Math.min(this.#most, this.#limit + 1 / this.#limit);
    this.#pausesInARow = 0;
    this.#waited = 0;
    this.release();
  }

  /** Call it when the call was not made, or says nothing about the pace. */
  release(): void {
    this.#running -= 1;
    this.#grantTurns();
  }

  /**
   * Call it when the service asked for fewer calls. All calls pause, and then continue with half the concurrency.
   *
   * @returns Whether the wait is within the patience of the run.
   */
  rateLimited(turn: Turn, retryAfter: number | undefined): boolean {
    return this.#pause(turn, Math.max(1, Math.floor(this.#limit / 2)), firstWait, retryAfter);
  }

  /** Call it when consecutive calls failed. All calls pause, and then one at a time checks whether the service is back. */
  failing(turn: Turn): boolean {
    return this.#pause(turn, 1, firstOutageWait, undefined);
  }

  /** Allows no further call. Pending `turn` calls resolve with `undefined`. */
  stop(): void {
    this.#stopped = true;
    this.#cancelTimer();
    for (const resolve of this.#waiting.splice(0)) resolve(undefined);
  }

  #pause(turn: Turn, limit: number, first: number, retryAfter: number | undefined): boolean {
    const isFirst = turn.pauses === this.#pauses;
    if (isFirst) {
      this.#pauses += 1;
      this.#pausesInARow += 1;
      this.#limit = limit;
    }
    const now = steadyTime(this.#timing.clock);
    const since = this.#pausedUntil ?? now;
    const until = isFirst || retryAfter !== undefined ? now + this.#wait(first, retryAfter) : since;
    if (until > since && !this.#stopped) {
      this.#waited += until - since;
      this.#pausedUntil = until;
      this.#cancelTimer();
      this.#cancelTimer = this.#timing.clock.setTimer(() => {
        this.#pausedUntil = undefined;
        this.#grantTurns();
      }, until - now);
    }
    this.release();
    return this.#waited <= this.#patience;
  }

  /** Adds random jitter, so that runs with the same key do not resume at the same moment. Never too early. */
  #wait(first: number, retryAfter: number | undefined): number {
    const random = this.#timing.random();
    if (retryAfter !== undefined)
      return Math.max(first, retryAfter) + Math.min(1_000, retryAfter / 10) * random;
    return Math.min(longestWait, first * 2 ** (this.#pausesInARow - 1)) * (1 - random / 2);
  }

  #grantTurns(): void {
    while (!this.paused && this.#running < Math.floor(this.#limit)) {
      const resolve = this.#waiting.shift();
      if (resolve === undefined) return;
      this.#running += 1;
      resolve({ pauses: this.#pauses });
    }
  }
}
