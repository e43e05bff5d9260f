import { leastGrowth, type MemoryTrend, mostGrowth, mostSlope } from './accounting/memory.js';
import type { Incident } from './accounting/posts.js';

/** Counts by name, for the table at the end. */
export class Tally {
  readonly #counts = new Map<string, Map<string, number>>();

  add(group: string, name: string, count = 1): void {
    const names = this.#counts.get(group) ?? new Map<string, number>();
    this.#counts.set(group, names.set(name, (names.get(name) ?? 0) + count));
  }

  total(group: string): number {
    return [...(this.#counts.get(group) ?? [])].reduce((sum, [, count]) => sum + count, 0);
  }

  /** One line for each count, below the sum of its group. */
  lines(): readonly string[] {
    return [...this.#counts].flatMap(([group, counts]) => [
      line(group, '', this.total(group)),
      ...[...counts].sort(([, one], [, other]) => other - one).map(([name, count]) => line('', name, count)),
    ]);
  }
}

export interface SoakOptions {
  readonly seed: number;
  /** How long there is load, in milliseconds. */
  readonly duration: number;
  readonly tally: Tally;
  readonly onProgress: (line: string) => void;
}

/** What a soak did, and what became of it. */
export interface SoakResult {
  readonly seconds: number;
  readonly problems: readonly string[];
  /** What was done to the service, and when the load began. */
  readonly incidents?: readonly Incident[];
  readonly began?: number;
  readonly memory?: MemoryTrend;
  /** What the replicas printed is in files in here. */
  readonly folder?: string;
}

export function reportLines(result: SoakResult, tally: Tally): readonly string[] {
  const { seconds, problems, memory, folder, incidents = [], began = 0 } = result;
  const at = (time: number) => `${((time - began) / 1_000).toFixed(1)} s`;
  return [
    `${seconds.toFixed(0)} s in all`,
    ...incidents.map(({ kind, replica, from, until }) => {
      const subject = replica === undefined ? '' : `replica ${replica + 1}`;
      return `  ${at(from).padStart(8)} to ${at(until).padStart(8)}  ${kind.padEnd(18)}${subject}`;
    }),
    '',
    ...tally.lines(),
    '',
    ...(memory === undefined ? [] : memoryLines(memory)),
    ...verdictLines(problems),
    ...(folder === undefined || problems.length === 0 ? [] : [`What the replicas printed is in ${folder}`]),
  ];
}

export function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}

function memoryLines({ first, last, slope, growth, samples, verdict }: MemoryTrend): readonly string[] {
  return [
    `memory: ${megabytes(first)} after the first round, ${megabytes(last)} after the last`,
    `  over the second half (${samples} samples) ${megabytes(slope)} a minute, ${(growth * 100).toFixed(1)} % in all: ${verdict}`,
    `  (a leak is more than ${megabytes(mostSlope)} a minute and more than ${mostGrowth * 100} % and ${megabytes(leastGrowth)} in all)`,
    '',
  ];
}

function verdictLines(problems: readonly string[]): readonly string[] {
  const { length } = problems;
  if (length === 0) return ['Everything is accounted for.'];
  const shown = problems.slice(0, 20).map((problem) => `  - ${problem}`);
  return [`${length} ${length === 1 ? 'discrepancy' : 'discrepancies'}. The first 20 at most:`, ...shown];
}

function line(group: string, name: string, count: number): string {
  return `${group.padEnd(18)}${name.padEnd(40)}${count.toLocaleString('en-GB').padStart(10)}`;
}
