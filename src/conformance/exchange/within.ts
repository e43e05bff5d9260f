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
  const ending = new AbortController();
  const end = () => ending.abort();
  const ended = new Promise<undefined>((resolve) => {
    ending.signal.addEventListener('abort', () => resolve(undefined));
  });
  const cancelTimer = clock.setTimer(end, milliseconds);
  const leave = signal && onAbort(signal, end);
  if (signal?.aborted) end();
  try {
    return await Promise.race([ended, work(ending.signal)]);
  } finally {
    cancelTimer();
    leave?.();
  }
}
