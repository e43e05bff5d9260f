import { type Clock, longestDelay, systemClock } from '../../foundation/clock.js';

/** As they are when this loads: a test may put fake timers in their place, which nobody would move while it waits. */
const { setTimeout, clearTimeout } = globalThis;

/** The machine's clock, whose timers fire whatever a test has put in their place. What it tells as the time is the test's. */
export const machineClock: Clock = {
  ...systemClock,
  setTimer(callback, delay) {
    const timer = setTimeout(callback, Math.min(delay, longestDelay));
    return () => clearTimeout(timer);
  },
};

/** Calls back once the code that runs now, and what it has queued, is done. */
export function soon(callback: () => void): void {
  setTimeout(callback, 0);
}
