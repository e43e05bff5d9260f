import type { Clock } from '../../foundation/clock.js';
import { onAbort } from '../../foundation/listeners.js';

/**
 * Waits for work, for at most this many milliseconds, or until the signal aborts. Then it aborts the signal of the work and returns
 * `undefined` without waiting, because not every `fetch` observes its signal.
 */
export async function within<T>(
  clock: Clock,
  milliseconds: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const controller = new AbortController();
  let cancelTimer = () => {};
  let leave = () => {};
  try {
    return await new Promise((resolve, reject) => {
      const end = () => {
        controller.abort();
        resolve(undefined);
      };
      cancelTimer = clock.setTimer(end, milliseconds);
      if (signal) leave = onAbort(signal, end);
      if (signal?.aborted) end();
      work(controller.signal).then(resolve, reject);
    });
  } finally {
    cancelTimer();
    leave();
  }
}
