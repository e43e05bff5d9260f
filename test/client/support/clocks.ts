import type { Clock } from 'messaging-automation';
import { until } from '../../waiting.js';

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

/** A clock that stands still until it is advanced. */
export function manualClock(): Clock & {
  readonly advance: (duration: number) => void;
  readonly timers: () => number;
  /** Waits until so many timers are set, such as the deadline of a call and its wait for the next attempt. */
  readonly armed: (count: number) => Promise<void>;
} {
  let now = Date.UTC(2026, 0, 1);
  const timers = new Set<{ readonly due: number; readonly callback: () => void }>();
  return {
    now: () => now,
    setTimer(callback, delay) {
      const timer = { due: now + delay, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(duration) {
      now += duration;
      for (const timer of [...timers].filter(({ due }) => due <= now)) {
        timers.delete(timer);
        timer.callback();
      }
    },
    timers: () => timers.size,
    armed: (count) =>
      until(
        `${count} timers`,
        () => timers.size >= count,
        () => timers.size,
      ),
  };
}
