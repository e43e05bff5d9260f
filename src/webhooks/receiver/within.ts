import type { Clock } from '../../foundation/clock.js';

/**
 * How many turns of the microtask queue to wait before a timer is set. Work that only awaits promises of this process is usually done
 * by then, and a timer takes longer than everything else in a receiver.
 */
const turnsBeforeTimer = 16;

/** Waits for these turns, or until the work is done. */
export async function letTurnsPass(isDone: () => boolean): Promise<void> {
  for (let turn = 0; turn < turnsBeforeTimer && !isDone(); turn += 1) await undefined;
}

/** Waits for some work. After the given milliseconds, rejects with the error that `late` returns. */
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
