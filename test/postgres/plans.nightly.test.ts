import { describe, expect, test } from 'vitest';
import { missingPostgres, usePostgres } from './support/database.js';
import { BusyStore } from './support/every-statement.js';
import { startExplainedDatabase } from './support/explained-database.js';
import { addBacklog, fillTables } from './support/large-tables.js';
import { faultsOf } from './support/plans.js';

describe.skipIf(missingPostgres)('a stock planner, on tables of 100,000 rows', () => {
  const postgres = usePostgres();

  test('finds rows by indexes and compiles nothing, after plans were made for small tables', {
    timeout: 300_000,
  }, async () => {
    const { connectionString, pool, watch, faults } = await startExplainedDatabase(postgres());
    const busy = new BusyStore(connectionString, 'grown', pool);
    await busy.open();
    await busy.doEverything();
    await fillTables(pool, 'grown', ['w0', 'w1', 'w2', 'w3']);
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
    const { connectionString, pool, watch } = await startExplainedDatabase(postgres());
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
});
