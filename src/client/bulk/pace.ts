import { steadyTime } from '../../foundation/clock.js';
import type { BulkJob } from './job.js';

/** Leave to make one call, until it is given back. */
export interface Turn {
  /** How many pauses there had been when it was given: what a call from before a pause meets is no news after it. */
  readonly pauses: number;
}

/** The first wait after a 429 that does not say when to come back, and after an outage; and the longest, in milliseconds. */
const [firstWait, firstOutageWait, longestWait] = [1_000, 5_000, 60_000];

/**
 * How fast a run may go: how many calls at once, and the pause that they all share.
 *
 * It follows what TCP does: each call that gets through adds a little to the number of calls at once, each pause
 * halves it. A pause lasts as long as `Retry-After` says, and where it says nothing, twice as long as the one before.
 */
export class Pace {
  readonly #timing: BulkJob<unknown, unknown>['timing'];
  readonly #most: number;
  readonly #patience: number;
  readonly #waiting: ((turn: Turn | undefined) => void)[] = [];
  #atOnce: number;
  #under = 0;
  #pauses = 0;
  /** Pauses since a call got through, and their milliseconds. */
  #inVain = 0;
  #waited = 0;
  #pausedUntil: number | undefined;
  #cancelTimer = () => {};
  #stopped = false;

  /**
   * @param most The most calls at once.
   * @param patience The longest time to wait while no call gets through, in milliseconds.
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

  /** Leave to make a call, once there is some; `undefined` when no more calls are to be made. `again` goes first. */
  turn(again: boolean): Promise<Turn | undefined> {
    if (this.#stopped) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      if (again) this.#waiting.unshift(resolve);
      else this.#waiting.push(resolve);
      this.#giveTurns();
    });
  }

  /** The call got through to the service. */
  gotThrough(turn: Turn): void {
    if (turn.pauses === this.#pauses) this.#atOnce = Math.min(this.#most, this.#atOnce + 1 / this.#atOnce);
    this.#inVain = 0;
    this.#waited = 0;
    this.giveBack();
  }

  /** The call was not made, or says nothing of the pace. */
  giveBack(): void {
    this.#under -= 1;
    this.#giveTurns();
  }

  /**
   * The service asked for fewer calls. All wait, and then half as many at once go on.
   *
   * @returns Whether the run has the patience to wait so long.
   */
  heldUp(turn: Turn, retryAfter: number | undefined): boolean {
    return this.#pause(turn, Math.max(1, Math.floor(this.#atOnce / 2)), firstWait, retryAfter);
  }

  /** Call after call failed. All wait, and then one at a time tries whether the service is back. */
  failing(turn: Turn): boolean {
    return this.#pause(turn, 1, firstOutageWait, undefined);
  }

  /** No more calls: whoever waits for a turn gets none. */
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

  /** Spread by chance, so that several runs with one key do not come back at the same moment; never too early. */
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
