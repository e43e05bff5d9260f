import { InvalidArgumentError } from 'commander';
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

/** Limits work to a time in milliseconds: its signal aborts after that, or earlier when an outer signal aborts. */
export function timeLimit(clock: Clock, length: number, outer?: AbortSignal) {
  const ending = new AbortController();
  const end = (reason: string) => ending.abort(new Error(reason));
  const begin = () => clock.setTimer(() => end('no complete response in time'), length);
  let cancelTimer = begin();
  return {
    signal: outer === undefined ? ending.signal : AbortSignal.any([outer, ending.signal]),
    /** Ends it at once, for this reason. */
    end,
    /** Starts the time again. */
    restart() {
      cancelTimer();
      cancelTimer = begin();
    },
    /** Must be called when the work is done. */
    clear: () => cancelTimer(),
  };
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads a duration such as `30s`, in milliseconds. */
export function duration(text: string): number {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  if (amount === undefined)
    throw new InvalidArgumentError('It must be a duration, such as 30s, 500ms or 1m.');
  return Number(amount) * (units[unit] ?? 1);
}

/** Reads a whole number. */
export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
