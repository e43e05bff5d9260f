import { describe, expect, onTestFinished, test } from 'vitest';
import { Database } from '../../../src/postgres/database/connection.js';
import { healthOf } from '../../../src/postgres/replica/health.js';
import { ManualClock } from '../../server/support/manual-clock.js';
import { missingPostgres, usePostgres } from '../support/database.js';

describe.skipIf(missingPostgres)('the health of a database', () => {
  const postgres = usePostgres();

  async function openDatabase() {
    const { connectionString, freshSchema } = postgres();
    const database = new Database({ connectionString, schema: await freshSchema() });
    onTestFinished(() => database.close());
    return database;
  }

  test('counts the replicas that were seen within three leases', async () => {
    const database = await openDatabase();
    await database.query(`
insert into :schema.replicas
values ('one', now()), ('two', now() - interval '25 seconds'), ('gone', now() - interval '35 seconds')`);
    const health = await healthOf(database, new ManualClock(), 10_000, 'one', 0);
    expect(health).toMatchObject({ state: 'ok', replicas: 2, pool: { waiting: 0 } });
  });

  // Without the limit of the health check, the statement would wait for more than ten seconds.
  test('responds in time if the database does not', { timeout: 9_000 }, async () => {
    const database = await openDatabase();
    const clock = new ManualClock();
    const gate = await postgres().server.pool.connect();
    await gate.query('begin');
    await gate.query(`lock table ${database.schema}.migrations in access exclusive mode`);
    try {
      const health = healthOf(database, clock, 10_000, 'one', 0);
      await expect.poll(() => clock.waiting).toBe(1);
      clock.pass(2_000);
      expect(await health).toMatchObject({
        state: 'unreachable',
        cause: { message: 'The database did not respond in time.' },
        lease: 10_000,
        replica: 'one',
      });
    } finally {
      await gate.query('rollback');
      gate.release();
    }
  });
});
