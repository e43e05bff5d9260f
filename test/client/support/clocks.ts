import type { Clock } from 'messaging-automation';
import { ManualClock } from '../../server/support/manual-clock.js';

/** A clock for waits that are over at once, and deadlines, which are at least as long as said, that never come. */
export function eagerClock(deadline = 10_000): Clock & { readonly waits: readonly number[] } {
  const waits: number[] = [];
  return {
    waits,
    now: () => Date.UTC(2026, 0, 1),
    setTimer(callback, delay) {
      if (delay >= deadline) return () => {};
      waits.push(delay);
      queueMicrotask(callback);
      return () => {};
    },
  };
}

/** A clock that stands still until it is advanced, whose functions stand alone. */
export function manualClock() {
  const clock = new ManualClock();
  return {
    now: () => clock.now(),
    setTimer: (callback: () => void, delay: number) => clock.setTimer(callback, delay),
    advance: (duration: number) => clock.pass(duration),
    timers: () => clock.waiting,
    /** Waits until so many timers are set, such as the deadline of a call and its wait for the next attempt. */
    armed: (count: number) => clock.waitFor(count),
  };
}
