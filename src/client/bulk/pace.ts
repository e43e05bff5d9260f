import { steadyTime } from '../../foundation/clock.js';
import type { BulkJob } from './job.js';

/** The permission to make one call, until it is returned. */
export interface Turn {
  /** How many pauses there had been before it. A failure of a call from before a pause does not count after the pause. */
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
  #atOnce: number;
  #under = 0;
  #pauses = 0;
  /** The number of pauses since the service last processed a call, and their total in milliseconds. */
  #inVain = 0;
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
    this.#atOnce = most;
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
      this.#giveTurns();
    });
  }

  /** Call it when the service accepted or rejected the call itself. */
  gotThrough(turn: Turn): void {
    if (turn.pauses === this.#pauses) this.#atOnce = Math.min(this.#most, this.#atOnce + 1 / this.#atOnce);
    this.#inVain = 0;
    this.#waited = 0;
    this.giveBack();
  }

  /** Call it when the call was not made, or says nothing about the pace. */
  giveBack(): void {
    this.#under -= 1;
    this.#giveTurns();
  }

  /**
   * Call it when the service asked for fewer calls. All calls pause, and then continue with half the concurrency.
   *
   * @returns Whether the wait is within the patience of the run.
   */
  heldUp(turn: Turn, retryAfter: number | undefined): boolean {
    return this.#pause(turn, Math.max(1, Math.floor(this.#atOnce / 2)), firstWait, retryAfter);
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

  #pause(turn: Turn, atOnce: number, first: number, retryAfter: number | undefined): boolean {
    const isNews = turn.pauses === this.#pauses;
    if (isNews) {
      this.#pauses += 1;
      this.#inVain += 1;
      this.#atOnce = atOnce;
    }
    const now = steadyTime(this.#timing.clock);
    const since = this.#pausedUntil ?? now;
    const until = isNews || retryAfter !== undefined ? now + this.#wait(first, retryAfter) : since;
    if (until > since) {
      this.#waited += until - since;
      this.#resumeAt(until, until - now);
    }
    this.giveBack();
    return this.#waited <= this.#patience;
  }

  /** Adds random jitter, so that runs with the same key do not resume at the same moment. Never too early. */
  #wait(first: number, retryAfter: number | undefined): number {
    const random = this.#timing.random();
    if (retryAfter !== undefined)
      return Math.max(first, retryAfter) + Math.min(1_000, retryAfter / 10) * random;
    return Math.min(longestWait, first * 2 ** (this.#inVain - 1)) * (1 - random / 2);
  }

  #resumeAt(until: number, delay: number): void {
    if (this.#stopped) return;
    this.#cancelTimer();
    this.#pausedUntil = until;
    this.#cancelTimer = this.#timing.clock.setTimer(() => {
      this.#pausedUntil = undefined;
      this.#giveTurns();
    }, delay);
  }

  #giveTurns(): void {
    while (!this.paused && this.#under < Math.floor(this.#atOnce)) {
      const resolve = this.#waiting.shift();
      if (resolve === undefined) return;
      this.#under += 1;
      resolve({ pauses: this.#pauses });
    }
  }
}
