import type { Clock } from '../../foundation/clock.js';

/** Waits for what may never come: resolves when it has come, or when so many milliseconds have passed by the clock. */
export function atMost(clock: Clock, milliseconds: number, coming: Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancelTimer = clock.setTimer(resolve, milliseconds);
    coming.finally(cancelTimer).then(() => resolve(), reject);
  });
}
