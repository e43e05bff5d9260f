import type { Clock } from '../../foundation/clock.js';

/** Resolves after a time in milliseconds, or when the signal aborts. Resolves to whether the signal has not aborted. */
export function pause(clock: Clock, length: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = () => {
      cancelTimer();
      signal.removeEventListener('abort', end);
      resolve(!signal.aborted);
    };
    const cancelTimer = clock.setTimer(end, length);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}

/** Repeats a task, with a pause in milliseconds before each run. Resolves when the signal has aborted and the last run has ended. */
export async function repeat(
  clock: Clock,
  length: number,
  signal: AbortSignal,
  task: () => Promise<void>,
): Promise<void> {
  while (await pause(clock, length, signal)) await task();
}
