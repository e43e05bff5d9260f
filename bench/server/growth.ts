import { startProcess } from '../measure/other-process.js';
import { showProgress } from '../measure/progress.js';
import { median } from '../measure/statistics.js';
import type { Report } from '../report/section.js';

/** What is measured, by the names that the program knows. */
export const operations = [
  'upsert of a new contact',
  'upsert of an existing contact',
  'find',
  'get',
  'update',
  'track',
  'delete',
];

/** What each operation costs where there are few contacts and where there are many, and what a contact takes. */
export async function measureGrowth(short: boolean): Promise<Report> {
  const sizes = short ? [10_000, 20_000] : [10_000, 100_000, 1_000_000];
  const rounds = short ? 2 : 7;
  const times = short ? 300 : 1_000;
  showProgress(`Contacts to grow with, up to ${(sizes.at(-1) ?? 0).toLocaleString('en')}`, 0, 1);
  const program = new URL('processes/growth.ts', import.meta.url);
  const grown = await Promise.all(
    sizes.map((size) => startProcess(program, { argument: String(size), flags: ['--expose-gc'] })),
  );
  const costs = operations.map(() => sizes.map((): number[] => []));
  for (let round = -2; round < rounds; round += 1) {
    showProgress('Operations on few and many contacts', round + 2, rounds + 2);
    for (const [which, operation] of operations.entries()) {
      for (let step = 0; step < sizes.length; step += 1) {
        const index = (step + round + 2) % sizes.length;
        const response = await grown[index]?.ask('run', { operation, times });
        if (round >= 0) costs[which]?.[index]?.push(response?.cpu ?? Number.NaN);
      }
    }
  }
  showProgress('Operations on few and many contacts', 1, 1);
  for (const server of grown) await server[Symbol.asyncDispose]();
  const last = sizes.length - 1;
  const { bytes = Number.NaN } = grown[last]?.ready ?? {};
  const most = (sizes[last] ?? 0).toLocaleString('en');
  return {
    id: 'server-growth',
    method:
      "Requests through the server's fetch, without a socket, on contacts from all over the store; CPU time, garbage " +
      'collection included, of three processes that take turns, each with its heap collected and swept beforehand. The ' +
      'medians of the rounds; events are tracked until their segment has taken them in. Bytes are the growth of the heap ' +
      `after a collection, by ${most} contacts with two properties each that the server began with.`,
    sections: [
      {
        title: `One operation among ${most} contacts`,
        unit: `CPU time, × among 10,000; behind the bars µs at ${sizes.map(named).join(', ')}`,
        better: 'less',
        rows: operations.map((name, which) => {
          const [few = [], ...others] = costs[which] ?? [];
          const many = others.at(-1) ?? [];
          return {
            name,
            value: median(many.map((cost, round) => cost / (few[round] ?? Number.NaN))),
            measured: (costs[which] ?? []).map((own) => median(own).toFixed(0)).join(' · '),
            shown: true,
            ours: true,
            target: 1.2,
          };
        }),
      },
      {
        title: 'Memory of a contact',
        unit: 'bytes',
        better: 'less',
        rows: [{ name: 'heap', value: bytes, measured: `of ${most}`, ours: true, target: 700 }],
      },
    ],
  };
}

function named(size: number): string {
  return size < 1_000_000 ? `${size / 1_000}k` : `${size / 1_000_000}M`;
}
