import type { Clock } from '../../foundation/clock.js';

/** Waits for some work, but no longer than so many milliseconds; then it rejects with what `late` gives. */
export function within<T>(
  clock: Clock,
  milliseconds: number,
  work: Promise<T>,
  late: () => unknown,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancelTimer = clock.setTimer(() => reject(late()), milliseconds);
    work.then(resolve, reject).finally(cancelTimer);
  });
}
