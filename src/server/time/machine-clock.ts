import { type Clock, longestDelay, systemClock } from '../../foundation/clock.js';

/** The timers at load time: a test may replace them by fake timers that do not move during a wait. */
const { setTimeout, clearTimeout } = globalThis;

/** The machine's clock. Its timers fire even if a test uses fake timers. Its time is the test's. */
export const machineClock: Clock = {
  ...systemClock,
  setTimer(callback, delay) {
    const timer = setTimeout(callback, Math.min(delay, longestDelay));
    return () => clearTimeout(timer);
  },
};

/** Resolves after a while of the machine's time, for a look at what no event tells of. */
export function lookAgainAfter(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

/** Calls back after the current code and its queued microtasks. */
export function soon(callback: () => void): void {
  setTimeout(callback, 0);
}
