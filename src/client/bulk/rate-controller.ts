import { steadyTime } from '../../foundation/clock.js';
import type { BulkTiming } from './options.js';

/**
 * The permission to make one call, which the caller must release: the number of pauses before it. If a call began before a
 * pause, its failure does not cause another pause.
 */
export type Permit = number;

/** In milliseconds: the first wait after a 429 without `Retry-After`, the first after an outage, and the longest. */
const [firstWait, firstOutageWait, longestWait] = [1_000, 5_000, 60_000];

/**
 * The rate of a run: the number of concurrent calls, and the pause that all calls share.
 *
 * It works like TCP congestion control: each call that the service processes raises the concurrency a little, each
 * pause halves it. A pause lasts as long as `Retry-After` says; without that header, twice as long as the pause before.
 *
 * @param most The maximum number of concurrent calls.
 * @param maxRateLimitWait The longest time to wait while the service processes no call, in milliseconds.
 */
export function createRateController({ clock, random }: BulkTiming, most: number, maxRateLimitWait: number) {
  const waiting: ((permit: Permit | undefined) => void)[] = [];
  let limit = most;
  let running = 0;
  let pauses = 0;
  // The number of pauses since the service last processed a call, and their total in milliseconds.
  let pausesInARow = 0;
  let waited = 0;
  let pausedUntil: number | undefined;
  let cancelTimer = () => {};
  let stopped = false;

  function grantPermits(): void {
    while (pausedUntil === undefined && running < Math.floor(limit)) {
      const resolve = waiting.shift();
      if (resolve === undefined) return;
      running += 1;
      resolve(pauses);
    }
  }

  /** Call it when the call was not made, or says nothing about the rate. */
  function release(): void {
    running -= 1;
    grantPermits();
  }

  /** Adds random jitter, so that runs with the same key do not resume at the same moment. Never too early. */
  function waitOf(first: number, retryAfter: number | undefined): number {
    const chance = random();
    if (retryAfter !== undefined)
      return Math.max(first, retryAfter) + Math.min(1_000, retryAfter / 10) * chance;
    return Math.min(longestWait, first * 2 ** (pausesInARow - 1)) * (1 - chance / 2);
  }

  function pause(permit: Permit, newLimit: number, first: number, retryAfter?: number): boolean {
    const isFirst = permit === pauses;
    if (isFirst) {
      pauses += 1;
      pausesInARow += 1;
      limit = newLimit;
    }
    const now = steadyTime(clock);
    const since = pausedUntil ?? now;
    const until = isFirst || retryAfter !== undefined ? now + waitOf(first, retryAfter) : since;
    if (until > since && !stopped) {
      waited += until - since;
      pausedUntil = until;
      cancelTimer();
      cancelTimer = clock.setTimer(() => {
        pausedUntil = undefined;
        grantPermits();
      }, until - now);
    }
    release();
    return waited <= maxRateLimitWait;
  }

  return {
    isPaused: () => pausedUntil !== undefined,
    /** Waits for the permission to make a call; `undefined` after `stop`. With `again`, it comes first in the queue. */
    acquire(again: boolean): Promise<Permit | undefined> {
      if (stopped) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        if (again) waiting.unshift(resolve);
        else waiting.push(resolve);
        grantPermits();
      });
    },
    /** Call it when the service accepted or rejected the call itself. */
    processed(permit: Permit): void {
      if (permit === pauses) limit = Math.min(most, limit + 1 / limit);
      pausesInARow = 0;
      waited = 0;
      release();
    },
    release,
    /**
     * Call it when the service asked for fewer calls. All calls pause, and then continue with half the concurrency.
     *
     * @returns Whether the wait is within `maxRateLimitWait`.
     */
    rateLimited: (permit: Permit, retryAfter: number | undefined) =>
      pause(permit, Math.max(1, Math.floor(limit / 2)), firstWait, retryAfter),
    /** Call it when consecutive calls failed. All calls pause, and then one at a time checks whether the service is back. */
    failing: (permit: Permit) => pause(permit, 1, firstOutageWait),
    /** Allows no further call. Pending `acquire` calls resolve with `undefined`. */
    stop(): void {
      stopped = true;
      cancelTimer();
      for (const resolve of waiting.splice(0)) resolve(undefined);
    },
  };
}
