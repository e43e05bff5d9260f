import { Pool } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { endPool } from '../run/postgres-server.js';
import { missingPostgres, usePostgres } from './support/database.js';
import { BusyStore } from './support/every-statement.js';
import { addBacklog, fillTables } from './support/large-tables.js';
import { explainAll, faultsOf, Watch } from './support/plans.js';

/**
 * The most rows of a growing table that a step of a statement may read. A cleared journal has 10,000, and without statistics the steps
 * over what waits can read all of that. A workspace has 25,000.
 */
const mostRows = 20_000;

const workspaces = ['w0', 'w1', 'w2', 'w3'];

describe.skipIf(missingPostgres)('a stock planner, on tables of 100,000 rows', () => {
  const postgres = usePostgres();

  async function start() {
    const { connectionString, server } = postgres();
    const name = `plans_${Date.now()}`;
    await server.pool.query(`create database ${name}`);
    await explainAll(server.pool, name);
    const url = new URL(connectionString);
    url.pathname = `/${name}`;
    const watch = new Watch();
    const pool = new Pool({
      connectionString: url.href,
      max: 2,
      // What the test itself does is neither explained nor checked by foreign keys.
      options: '-c auto_explain.log_min_duration=-1 -c session_replication_role=replica',
    });
    onTestFinished(async () => {
      await endPool(pool);
      watch[Symbol.dispose]();
      await server.pool.query(`drop database ${name} with (force)`);
    });
    const faults = () => [...new Set(watch.take().flatMap((statement) => faultsOf(statement, mostRows)))];
    return { connectionString: url.href, pool, watch, faults };
  }

  test('finds rows by indexes and compiles nothing, after plans were made for small tables', {
    timeout: 300_000,
  }, async () => {
    const { connectionString, pool, watch, faults } = await start();
    const busy = new BusyStore(connectionString, 'grown', pool);
    await busy.open();
    await busy.doEverything();
    await fillTables(pool, 'grown', workspaces);
    await busy.notice(90_000);
    faults();
    await busy.doEverything();
    expect(faults(), 'with little that waits').toEqual([]);

    await addBacklog(pool, 'grown');
    await pool.query('analyze');
    faults();
    await busy.doEverything();
    expect(faults(), 'with much that waits').toEqual([]);

    await busy.readAll();
    await busy.stopAtWork();
    expect(watch.neverSent()).toEqual([]);
    expect(await watch.neverRun(pool, 'grown')).toEqual([]);
    expect(await watch.readingJson(pool, 'grown')).toEqual([]);
  });

  test('reads a few rows for a page of one of either workspace at either replica, by any filter, with and without statistics', {
    timeout: 300_000,
  }, async () => {
    const { connectionString, pool, watch } = await start();
    await using busy = new BusyStore(connectionString, 'paged', pool);
    await using other = new BusyStore(connectionString, 'paged', pool);
    for (const store of [busy, other]) await store.open();
    await fillTables(pool, 'paged', ['w0', 'w1']);
    const readOften = async () => {
      for (let times = 0; times < 7; times += 1) {
        await Promise.all([busy.readPages(1), other.readPages(1, 'w0')]);
      }
      // The replicas sweep meanwhile.
      const read = watch.take().filter(({ text }) => /^select \* from|max\(t\.place\)/.test(text));
      expect(read.length).toBe(2 * 7 * 2 * 20);
      return read.flatMap((statement) => faultsOf(statement, 10));
    };
    expect(await readOften()).toEqual([]);
    await pool.query('analyze');
    expect(await readOften()).toEqual([]);
  });

  test('finds rows by indexes and compiles nothing, without statistics', { timeout: 300_000 }, async () => {
    const { connectionString, pool, faults } = await start();
    {
      await using first = new BusyStore(connectionString, 'fresh', pool);
      await first.open();
    }
    await fillTables(pool, 'fresh', workspaces);
    faults();
    await using busy = new BusyStore(connectionString, 'fresh', pool);
    await busy.open();
    await busy.doEverything();
    expect(faults()).toEqual([]);
  });
});
