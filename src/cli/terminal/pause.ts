import type { Clock } from '../../webhooks/index.js';

/** Resolves after a time in milliseconds, or when the signal aborts. */
export function pause(clock: Clock, length: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      cancelTimer();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancelTimer = clock.setTimer(end, length);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
