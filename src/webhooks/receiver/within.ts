import type { Clock } from '../../foundation/clock.js';

/**
 * How many turns of the microtask queue to wait before a timer is set. What waits for nothing but promises in this
 * process is done by then, and a timer costs more than everything else that a receiver does.
 */
const turnsBeforeTimer = 16;

/** Lets work go on that waits for nothing but promises in this process, until it is done. */
export async function letTurnsPass(isDone: () => boolean): Promise<void> {
  for (let turn = 0; turn < turnsBeforeTimer && !isDone(); turn += 1) await undefined;
}

/** Waits for some work, but no longer than so many milliseconds; then it rejects with what `late` gives. */
export async function within<T>(
  clock: Clock,
  milliseconds: number,
  work: Promise<T>,
  late: () => unknown,
): Promise<T> {
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  work.then(end, end);
  await letTurnsPass(() => isDone);
  if (isDone) return work;
  return new Promise((resolve, reject) => {
    const cancelTimer = clock.setTimer(() => reject(late()), milliseconds);
    work.then(resolve, reject).finally(cancelTimer);
  });
}
