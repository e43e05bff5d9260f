import type { Clock } from '../../foundation/clock.js';

/** Waits with a timeout: resolves when the promise resolves, or after the timeout in milliseconds. */
export function atMost(clock: Clock, milliseconds: number, coming: Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancelTimer = clock.setTimer(resolve, milliseconds);
    coming.finally(cancelTimer).then(() => resolve(), reject);
  });
}
