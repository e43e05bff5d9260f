import { countLines, countsOf, verdictLines } from '../report.js';
import type { Tally } from '../tally.js';
import type { ChaosResult } from './soak.js';

const groups = [
  'disruptions',
  'workspaces',
  'asked for',
  'calls',
  'answers',
  'messages',
  'events',
  'journey runs',
  'sends',
  'deliveries',
  'attempts',
  'POSTs',
  'POSTs again',
  'journal',
];

/** What happened, and what became of it. */
export function chaosLines({ seconds, incidents, began, problems, folder }: ChaosResult, tally: Tally) {
  const at = (time: number) => `${((time - began) / 1_000).toFixed(1)} s`;
  return [
    `${seconds.toFixed(0)} s in all`,
    '',
    'What was done to the service:',
    ...incidents.map(({ kind, replica, from, until }) => {
      const whom = replica === undefined ? '' : `replica ${replica + 1}`;
      return `  ${at(from).padStart(8)}  ${kind.padEnd(18)}${whom.padEnd(12)}${until - from > 50 ? `for ${((until - from) / 1_000).toFixed(1)} s` : ''}`;
    }),
    '',
    ...countLines(groups, tally),
    '',
    ...verdictLines(problems, problems.length, 20),
    ...(problems.length === 0 ? [] : [`What the replicas printed is in ${folder}`]),
  ];
}

/** The same as data. */
export function chaosData(result: ChaosResult, tally: Tally): object {
  return { ...result, counts: countsOf(groups, tally) };
}
