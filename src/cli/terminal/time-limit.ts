import type { Clock } from '../../webhooks/index.js';

/** A limit for work: it ends after a time, or earlier when an outer signal aborts. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  /** Ends it at once, for this reason. */
  readonly end: (reason: string) => void;
  /** Must be called when the work is done. */
  readonly clear: () => void;
}

/** Limits work to a time in milliseconds. */
export function timeLimit(clock: Clock, length: number, outer?: AbortSignal): TimeLimit {
  const ending = new AbortController();
  const end = (reason: string) => ending.abort(new Error(reason));
  const clear = clock.setTimer(() => end('no complete answer in time'), length);
  const signal = outer === undefined ? ending.signal : AbortSignal.any([outer, ending.signal]);
  return { signal, end, clear };
}
