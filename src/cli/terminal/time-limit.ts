import type { Clock } from '../../webhooks/index.js';

/** A limit for work: it ends after a time, or earlier when the signal aborts. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  /** Whether the time is up. */
  readonly isUp: boolean;
  /** Ends it at once. */
  readonly end: () => void;
  /** Must be called when the work is done. */
  readonly clear: () => void;
}

/** Limits work to a time in milliseconds. */
export function timeLimit(clock: Clock, length: number, outer?: AbortSignal): TimeLimit {
  const ending = new AbortController();
  const end = () => ending.abort();
  const cancelTimer = clock.setTimer(end, length);
  return {
    signal: outer === undefined ? ending.signal : AbortSignal.any([outer, ending.signal]),
    get isUp() {
      return ending.signal.aborted;
    },
    end,
    clear: cancelTimer,
  };
}
