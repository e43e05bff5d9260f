import type { Delivery, JourneyRun } from '../surface/entry.js';

/** What becomes due until a time, in words: `32 runs, 1 retry`. */
export function dueInWords(
  until: number,
  runs: readonly JourneyRun[],
  pending: readonly Pick<Delivery, 'dueAt'>[],
): string {
  const isDue = ({ dueAt = until }: { readonly dueAt?: number }) => dueAt <= until;
  const due = [
    counted(runs.filter((run) => run.status === 'waiting' && isDue(run)).length, 'run', 'runs'),
    counted(pending.filter(isDue).length, 'retry', 'retries'),
  ];
  return due.filter((words) => words !== '').join(', ');
}

function counted(count: number, one: string, many: string): string {
  return count === 0 ? '' : `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
