import { describe, expect, test } from 'vitest';
import { missingPostgres, usePostgres } from './support/database.js';
import { BusyStore } from './support/every-statement.js';
import { startExplainedDatabase } from './support/explained-database.js';
import { fillTables } from './support/large-tables.js';

describe.skipIf(missingPostgres)('a stock planner, on tables of 100,000 rows', () => {
  const postgres = usePostgres();

  test('finds rows by indexes and compiles nothing, without statistics', { timeout: 300_000 }, async () => {
    const { connectionString, pool, faults } = await startExplainedDatabase(postgres());
    {
      await using first = new BusyStore(connectionString, 'fresh', pool);
      await first.open();
    }
    await fillTables(pool, 'fresh', ['w0', 'w1', 'w2', 'w3']);
    faults();
    await using busy = new BusyStore(connectionString, 'fresh', pool);
    await busy.open();
    await busy.doEverything();
    expect(faults()).toEqual([]);
  });
});
