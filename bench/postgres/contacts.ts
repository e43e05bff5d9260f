import { showProgress } from '../measure/progress.js';
import { median } from '../measure/statistics.js';
import type { Report } from '../report/section.js';
import { upsertsOverASocket } from '../server/contacts.js';
import type { BenchDatabase } from './database.js';

/** How many contacts a replica upserts in a second, over a socket, beside the same server in memory. */
export async function measureContacts(database: BenchDatabase, short: boolean): Promise<Report> {
  const title = 'Upserts over PostgreSQL';
  const rounds = short ? 1 : 5;
  const seconds = short ? 1 : 3;
  const { environment } = database.freshStore();
  const memory: number[] = [];
  const postgres: number[] = [];
  const ours = { name: 'reference server', program: 'reference-server.ts', path: '/api/v1/contacts' };
  for (let round = 0; round < rounds; round += 1) {
    showProgress(title, round, rounds);
    memory.push((await upsertsOverASocket(ours, seconds)).rate);
    postgres.push((await upsertsOverASocket(ours, seconds, environment)).rate);
  }
  showProgress(title, 1, 1);
  const told = (rates: readonly number[]) => `${Math.round(median(rates)).toLocaleString('en')} requests/s`;
  return {
    id: 'postgres-contacts',
    method:
      'Each server in a fresh process for each of its turns, over 32 connections from another process, after a second to warm ' +
      'up. The upserts go round 1,000 contacts. One replica; PostgreSQL with fsync on on the same machine. The median of the ' +
      'ratios of the rounds.',
    sections: [
      {
        title: 'POST /v1/contacts over a socket',
        unit: 'requests per second, × in memory',
        better: 'more',
        rows: [
          { name: 'in memory', value: 1, measured: told(memory), shown: true, ours: false },
          {
            name: 'one replica',
            value: median(postgres.map((rate, round) => rate / (memory[round] ?? Number.NaN))),
            measured: told(postgres),
            shown: true,
            ours: true,
            target: 0.3,
          },
        ],
      },
    ],
  };
}
