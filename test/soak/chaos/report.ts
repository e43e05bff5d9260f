import type { Tally } from '../tally.js';
import type { ChaosResult } from './soak.js';

const number = (value: number) => value.toLocaleString('en-GB');

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

/** How many discrepancies are shown. */
const shown = 20;

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
    ...groups.flatMap((group) =>
      [['', tally.total(group)] as const, ...tally.of(group)].map(([name, count], index) =>
        `${(index === 0 ? group : '').padEnd(18)}${name.padEnd(40)}${number(count).padStart(10)}`.trimEnd(),
      ),
    ),
    '',
    ...(problems.length === 0
      ? ['Everything is accounted for.']
      : [
          `${number(problems.length)} ${problems.length === 1 ? 'discrepancy' : 'discrepancies'}. The first ${shown} at most:`,
          ...problems.slice(0, shown).map((problem) => `  - ${problem}`),
          `What the replicas printed is in ${folder}`,
        ]),
  ];
}

/** The same as data. */
export function chaosData(result: ChaosResult, tally: Tally): object {
  return {
    ...result,
    counts: Object.fromEntries(groups.map((group) => [group, Object.fromEntries(tally.of(group))])),
  };
}
