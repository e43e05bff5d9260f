import { leastGrowth, mostGrowth, mostSlope } from './accounting/memory.js';
import type { Progress, SoakResult } from './soak.js';
import type { Tally } from './tally.js';

const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MB`;
const number = (value: number) => value.toLocaleString('en-GB');

/** One line of what has been done so far. */
export function progressLine({ round, seconds, problems, heap, tally }: Progress): string {
  const told = ['operations', 'attempts', 'events', 'sends'].map(
    (group) => `${number(tally.total(group))} ${group}`,
  );
  const wrong = problems === 0 ? 'all accounted for' : `${problems} DISCREPANCIES`;
  return `${seconds.toFixed(0).padStart(4)} s  round ${round}: ${told.join(', ')}; heap ${megabytes(heap)}; ${wrong}`;
}

/** What was done and what became of it. */
export function reportLines({
  rounds,
  seconds,
  tally,
  memory,
  problems,
  more,
}: SoakResult): readonly string[] {
  const bound = `a leak is more than ${megabytes(mostSlope)} a minute and more than ${mostGrowth * 100} % and ${megabytes(leastGrowth)} in all`;
  return [
    `${number(rounds)} rounds in ${seconds.toFixed(0)} s`,
    '',
    ...countLines(groups, tally),
    '',
    `memory            ${megabytes(memory.first)} after the first round, ${megabytes(memory.last)} after the last;`,
    `                  over the second half (${memory.samples} samples) ${megabytes(memory.slope)} a minute, ${(memory.growth * 100).toFixed(1)} % in all: ${memory.verdict}`,
    `                  (${bound})`,
    '',
    ...verdictLines(problems, problems.length + more, 10),
  ];
}

const groups = [
  'operations',
  'outcomes',
  'request faults',
  'messages',
  'deliveries',
  'attempts',
  'delivery faults',
  'arrivals',
  'events',
  'journey runs',
  'sends',
  'workspaces',
  'receivers',
];

const titles: Readonly<Record<string, string>> = { outcomes: 'API calls', arrivals: 'requests' };

/** The counts of each group, one line each, below the sum of the group. */
export function countLines(groups: readonly string[], tally: Tally): readonly string[] {
  return groups.flatMap((group) =>
    [['', tally.total(group)] as const, ...tally.of(group)].map(([name, count], index) =>
      `${(index === 0 ? (titles[group] ?? group) : '').padEnd(18)}${name.padEnd(40)}${number(count).padStart(10)}`.trimEnd(),
    ),
  );
}

/** The counts as data. */
export function countsOf(groups: readonly string[], tally: Tally): object {
  return Object.fromEntries(groups.map((group) => [group, Object.fromEntries(tally.of(group))]));
}

/** Whether everything is accounted for, or the first problems. */
export function verdictLines(problems: readonly string[], found: number, shown: number): readonly string[] {
  if (problems.length === 0) return ['Everything is accounted for.'];
  return [
    `${number(found)} ${found === 1 ? 'discrepancy' : 'discrepancies'}. The first ${shown} at most:`,
    ...problems.slice(0, shown).map((problem) => `  - ${problem}`),
  ];
}

/** The same as data. */
export function reportData({ tally, ...rest }: SoakResult): object {
  return { ...rest, counts: countsOf(groups, tally) };
}
