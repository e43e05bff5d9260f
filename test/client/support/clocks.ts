import type { Clock } from 'messaging-automation';
import { ManualClock } from '../../server/support/manual-clock.js';

/** A clock for waits that are over at once, and deadlines, which are at least as long as said, that never come. */
export function eagerClock(deadline = 10_000): Clock & {
  readonly waits: readonly number[];
  /** How many timers are neither over nor cancelled. */
  readonly timers: () => number;
} {
  const waits: number[] = [];
  const left = new Set<object>();
  return {
    waits,
    timers: () => left.size,
    now: () => Date.UTC(2026, 0, 1),
    setTimer(callback, delay) {
      const timer = {};
      left.add(timer);
      const cancel = () => void left.delete(timer);
      if (delay >= deadline) return cancel;
      // What waits without end at once would never let the limit of the test come.
      if (waits.length === 1_000) throw new Error('It waits without end: a thousand times by now.');
      waits.push(delay);
      queueMicrotask(() => {
        cancel();
        callback();
      });
      return cancel;
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
