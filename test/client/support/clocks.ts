import type { Clock } from 'messaging-automation';

/** A clock for waits that are over at once, and deadlines (10 s and more) that never come. */
export function eagerClock(): Clock & { readonly waits: readonly number[] } {
  const waits: number[] = [];
  return {
    waits,
    now: () => Date.UTC(2026, 0, 1),
    setTimer(callback, delay) {
      if (delay >= 10_000) return () => {};
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
  };
}
