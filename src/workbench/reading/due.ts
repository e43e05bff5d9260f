import type { Delivery, JourneyRun } from '../surface/entry.js';
import { countOf } from './counted.js';

/** What becomes due until a time, in words: `32 runs, 1 retry`. */
export function dueInWords(
  until: number,
  runs: readonly JourneyRun[],
  pending: readonly Pick<Delivery, 'dueAt'>[],
): string {
  const isDue = ({ dueAt = until }: { readonly dueAt?: number }) => dueAt <= until;
  const waiting = runs.filter((run) => run.status === 'waiting' && isDue(run)).length;
  const retries = pending.filter(isDue).length;
  const due = [waiting > 0 && countOf(waiting, 'run'), retries > 0 && countOf(retries, 'retry', 'retries')];
  return due.filter((words) => words !== false).join(', ');
}
