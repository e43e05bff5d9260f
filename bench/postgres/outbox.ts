import { startProcess } from '../measure/other-process.js';
import { showProgress } from '../measure/progress.js';
import { median } from '../measure/statistics.js';
import type { Report, Row } from '../report/section.js';
import type { BenchDatabase } from './database.js';

const refusing = 100;
/** From one message to the next. In milliseconds. */
const interval = 20;

/** What one message costs the database. */
interface Cost {
  /** In bytes. */
  readonly wal: number;
  readonly commits: number;
  /** Rows inserted, deleted, and updated with and without new index entries, in all tables of the store. */
  readonly inserted: number;
  readonly deleted: number;
  readonly updated: number;
  readonly hot: number;
}

/** What a message to one healthy endpoint and many that refuse costs PostgreSQL: bytes of its log, commits and rows. */
export async function measureOutbox(database: BenchDatabase, short: boolean): Promise<Report> {
  const title = 'What a message costs the database';
  const rounds = short ? 1 : 3;
  const messages = short ? 100 : 600;
  const company = [0, refusing];
  const costs = company.map((): Cost[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, count] of company.entries()) {
      showProgress(title, round * company.length + index, rounds * company.length);
      costs[index]?.push(await costBeside(database, count, messages));
    }
  }
  showProgress(title, 1, 1);
  const figure = (index: number, read: (cost: Cost) => number) => median((costs[index] ?? []).map(read));
  const rows = (read: (cost: Cost) => number, unit: string, target: number): readonly Row[] =>
    company.map((count, index) => ({
      name: count === 0 ? 'to one endpoint' : `beside ${count} that refuse`,
      value: figure(index, read),
      measured:
        `${figure(index, read).toFixed(1)} ${unit}; ${figure(index, (cost) => cost.inserted).toFixed(1)} rows inserted, ` +
        `${figure(index, (cost) => cost.deleted).toFixed(1)} deleted, ${figure(index, (cost) => cost.updated).toFixed(1)} ` +
        `updated, ${figure(index, (cost) => cost.hot).toFixed(1)} of them hot`,
      shown: true,
      ours: count > 0,
      target: count > 0 ? target : undefined,
    }));
  return {
    id: 'postgres-outbox',
    method:
      `${messages} messages, one each ${interval} ms, from the first until the last has been taken in: what the database wrote ` +
      'for them, their attempts and their journal, divided by their number. One replica; PostgreSQL with fsync on on the same ' +
      'machine, without the full pages that it writes after a checkpoint. Each turn has a fresh process and a fresh schema; the medians count.',
    sections: [
      {
        title: 'Write-ahead log of a message',
        unit: 'kB',
        better: 'less',
        rows: rows(({ wal }) => wal / 1_000, 'kB', 57),
      },
      {
        title: 'Commits of a message',
        unit: 'commits',
        better: 'less',
        rows: rows(({ commits }) => commits, 'commits', 9),
      },
    ],
  };
}

async function costBeside(database: BenchDatabase, count: number, messages: number): Promise<Cost> {
  const { environment, schema } = database.freshStore();
  await using endpoints = await startProcess(new URL('../server/processes/endpoints.ts', import.meta.url));
  await using server = await startProcess(new URL('../server/processes/beset-server.ts', import.meta.url), {
    argument: `${endpoints.ready.healthy}/${endpoints.ready.refusing}/${count}`,
    environment,
  });
  const { pool } = database.server;
  const before = await read(database, schema);
  await server.ask('receive', { messages, interval });
  // A session reports its statistics when it has been idle for a second.
  await pool.query('select pg_sleep(1.1)');
  const after = await read(database, schema);
  const each = (name: keyof Cost) => (after[name] - before[name]) / messages;
  return {
    wal: each('wal'),
    commits: each('commits'),
    inserted: each('inserted'),
    deleted: each('deleted'),
    updated: each('updated'),
    hot: each('hot'),
  };
}

async function read({ server }: BenchDatabase, schema: string): Promise<Cost> {
  const {
    rows: [row],
  } = await server.pool.query<Cost>(
    `select
       (select pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as wal,
       (select xact_commit from pg_stat_database where datname = current_database())::float8 as commits,
       sum(n_tup_ins)::float8 as inserted, sum(n_tup_del)::float8 as deleted,
       sum(n_tup_upd)::float8 as updated, sum(n_tup_hot_upd)::float8 as hot
     from pg_stat_user_tables where schemaname = $1`,
    [schema],
  );
  if (row === undefined) throw new Error(`There is no schema ${schema}.`);
  return row;
}
