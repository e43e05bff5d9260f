import { startProcess } from '../measure/other-process.js';
import { showProgress } from '../measure/progress.js';
import { median } from '../measure/statistics.js';
import type { Report } from '../report/section.js';
import { operations } from '../server/growth.js';
import type { BenchDatabase } from './database.js';

const few = 10_000;

/** What an operation costs where there are few contacts and where there are many, and what a contact takes on disk. */
export async function measureGrowth(database: BenchDatabase, short: boolean, many: number): Promise<Report> {
  const sizes = [few, short ? 2 * few : many];
  const rounds = short ? 2 : 9;
  const times = short ? 50 : 300;
  const title = `Operations on ${few.toLocaleString('en')} and ${(sizes[1] ?? 0).toLocaleString('en')} contacts`;
  const program = new URL('../server/processes/growth.ts', import.meta.url);
  showProgress(title, 0, 1);
  const grown = [];
  for (const size of sizes) {
    const { environment } = database.freshStore();
    grown.push(await startProcess(program, { argument: String(size), flags: ['--expose-gc'], environment }));
  }
  const costs = operations.map(() => sizes.map((): number[] => []));
  for (let round = -1; round < rounds; round += 1) {
    showProgress(title, round + 1, rounds + 1);
    for (const [which, operation] of operations.entries()) {
      for (let step = 0; step < sizes.length; step += 1) {
        const index = (step + round + 1) % sizes.length;
        const response = await grown[index]?.ask('run', { operation, times });
        if (round >= 0) costs[which]?.[index]?.push(response?.wall ?? Number.NaN);
      }
    }
  }
  showProgress(title, 1, 1);
  const { bytes = Number.NaN } = grown.at(-1)?.ready ?? {};
  for (const server of grown) await server[Symbol.asyncDispose]();
  const most = (sizes[1] ?? 0).toLocaleString('en');
  return {
    id: 'postgres-growth',
    method:
      "Requests through the server's fetch, one after the other, without a socket, on contacts from all over the store; the " +
      'time that passes, of two processes with a schema each that take turns, on one PostgreSQL with fsync on on the same ' +
      'machine. The medians of the rounds; events are tracked until their segment has taken them in. Bytes are those of the ' +
      `contacts' table and its indexes, by ${most} contacts with two properties each.`,
    sections: [
      {
        title: `One operation among ${most} contacts`,
        unit: `time, × among ${few.toLocaleString('en')}; behind the bars ms at each`,
        better: 'less',
        rows: operations.map((name, which) => {
          const [small = [], large = []] = costs[which] ?? [];
          return {
            name,
            value: median(large) / median(small),
            measured: `${median(small).toFixed(2)} · ${median(large).toFixed(2)} ms`,
            shown: true,
            ours: true,
            target: 1.2,
          };
        }),
      },
      {
        title: 'A contact on disk',
        unit: 'bytes',
        better: 'less',
        rows: [{ name: 'table and indexes', value: bytes, measured: `of ${most}`, ours: true }],
      },
    ],
  };
}
