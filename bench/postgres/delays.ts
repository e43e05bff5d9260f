import { showProgress } from '../measure/progress.js';
import { median } from '../measure/statistics.js';
import type { Report, Section } from '../report/section.js';
import { delaysBeside, quantile } from '../server/dead-endpoints.js';
import type { BenchDatabase } from './database.js';

const dead = 100;
const company = [
  { name: 'alone', others: 'silent', count: 0 },
  { name: `beside ${dead} that never respond`, others: 'silent', count: dead },
  { name: `beside ${dead} that refuse`, others: 'refusing', count: dead },
] as const;

/** How long a message takes from the call that takes it in to its receiver, and how long where others are dead. */
export async function measureDelays(database: BenchDatabase, short: boolean): Promise<Report> {
  const title = 'A healthy endpoint over PostgreSQL';
  const rounds = short ? 1 : 3;
  const messages = short ? 100 : 600;
  const delays = company.map((): (readonly number[])[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (let step = 0; step < company.length; step += 1) {
      showProgress(title, round * company.length + step, rounds * company.length);
      const index = (step + round) % company.length;
      const { others, count } = company[index] ?? company[0];
      const { environment } = database.freshStore();
      delays[index]?.push(await delaysBeside(others, count, messages, environment));
    }
  }
  showProgress(title, 1, 1);
  const alone = median((delays[0] ?? []).map((turn) => quantile(turn, 0.5)));
  return {
    id: 'postgres-delays',
    method:
      `${messages} messages, one each 20 ms, from when each was due to be taken in to when it arrived at the healthy endpoint, ` +
      'which is another process and the last to have subscribed. One replica; PostgreSQL with fsync on on the same machine. ' +
      'Each turn has fresh processes and a fresh schema, so the first second has the start of the process and of its connections, ' +
      'and the 100 have not failed yet. The medians of the ratios to the same round alone count.',
    sections: [
      {
        title: 'From a message to its receiver',
        unit: 'ms, p50',
        better: 'less',
        rows: [
          {
            name: 'alone',
            value: alone,
            measured: `p95 ${median((delays[0] ?? []).map((turn) => quantile(turn, 0.95))).toFixed(1)} ms`,
            shown: true,
            ours: true,
            target: 10,
          },
        ],
      },
      besideOthers('after the first second', partsOf(delays, firstSecond)),
      besideOthers('with the first second', partsOf(delays, 0)),
    ],
  };
}

/** How many messages there are in the first second. */
const firstSecond = 50;

function partsOf(delays: readonly (readonly number[])[][], from: number): readonly (readonly number[])[][] {
  return delays.map((turns) => turns.map((turn) => turn.slice(from)));
}

/** The p99 in each company, by that of the same round alone. */
function besideOthers(when: string, delays: readonly (readonly number[])[][]): Section {
  const p99s = delays.map((turns) => turns.map((turn) => quantile(turn, 0.99)));
  return {
    title: `The p99 of a healthy endpoint, ${when}`,
    unit: 'time from message to arrival, × alone',
    better: 'less',
    rows: company.map(({ name, count }, index) => ({
      name,
      value: median((p99s[index] ?? []).map((p99, round) => p99 / (p99s[0]?.[round] ?? Number.NaN))),
      measured: `${median(p99s[index] ?? []).toFixed(1)} ms`,
      shown: true,
      ours: count > 0,
      target: count > 0 ? 3 : undefined,
    })),
  };
}
