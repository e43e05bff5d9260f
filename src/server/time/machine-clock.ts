import { type Clock, longestDelay, systemClock } from '../../foundation/clock.js';

/** The timers at load time, because a test may replace them with fake timers, which would never fire during a wait. */
const { setTimeout, clearTimeout } = globalThis;

/** The machine's clock. Its timers fire even if a test uses fake timers. Its time follows a fake `Date`. */
export const machineClock: Clock = {
  ...systemClock,
  setTimer(callback, delay) {
    const timer = setTimeout(callback, Math.min(delay, longestDelay));
    return () => clearTimeout(timer);
  },
};

/** The machine's clock for what waits in a workspace, such as a journey. Its timers alone do not keep the process alive. */
export const backgroundClock: Clock = {
  ...machineClock,
  setTimer(callback, delay) {
    const timer = setTimeout(callback, Math.min(delay, longestDelay));
    const unref: unknown = Reflect.get(Object(timer), 'unref'); // Node's
    if (typeof unref === 'function') Reflect.apply(unref, timer, []);
    return () => clearTimeout(timer);
  },
};

/** Resolves after a delay of the machine's time, to poll for something that has no event. */
export function lookAgainAfter(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

/** Calls back after the current code and its queued microtasks. */
export function soon(callback: () => void): void {
  setTimeout(callback, 0);
}
