/**
 * Where time comes from. Nothing in this package reads the machine's clock on its own: whoever waits or
 * stamps takes a `Clock`, so that a test can drive time by hand.
 */
export interface Clock {
  /** The time in milliseconds since the Unix epoch. */
  now(): number;
  /**
   * Milliseconds since any fixed moment. Unlike `now`, it never goes back or jumps when the machine's time is set, so
   * the client measures its waits and deadlines by it. Default: `now`.
   */
  monotonic?(): number;
  /**
   * Calls `callback` once, `delay` milliseconds from now.
   *
   * @returns A function that cancels the timer; calling it after the timer fired does nothing.
   */
  setTimer(callback: () => void, delay: number): () => void;
}

/** The longest that `setTimeout` can wait, in milliseconds, nearly 25 days; told to wait longer, it does not wait. */
export const longestDelay = 2 ** 31 - 1;

/** The machine's own clock. A timer for later than its platform can wait fires after as long as that can. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(callback, delay) {
    const timer = setTimeout(callback, Math.min(delay, longestDelay));
    return () => clearTimeout(timer);
  },
};

/** A time that does not jump when the machine's is set. */
export function steadyTime(clock: Clock): number {
  return clock.monotonic?.() ?? clock.now();
}
