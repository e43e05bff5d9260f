import { describe, expect, test } from 'vitest';
import { Database } from '../../src/postgres/database/connection.js';
import { healthOf } from '../../src/postgres/replica/health.js';
import { ManualClock } from '../server/support/manual-clock.js';
import { missingPostgres, usePostgres } from './support/database.js';

describe.skipIf(missingPostgres)('the health of a database', () => {
  const postgres = usePostgres();

  // A statement that is not answered is given up after more than ten seconds.
  test('that takes connections and answers nothing is told in time', { timeout: 9_000 }, async () => {
    const { server, connectionString, freshSchema } = postgres();
    const database = new Database({ connectionString, schema: await freshSchema() });
    const clock = new ManualClock();
    expect(await healthOf(database, clock, 10_000, 'one')).toMatchObject({ state: 'ok', replicas: 0 });
    await server.freeze();
    try {
      const health = healthOf(database, clock, 10_000, 'one');
      await expect.poll(() => clock.waiting).toBe(1);
      clock.pass(2_000);
      expect(await health).toMatchObject({ state: 'unreachable', lease: 10_000, replica: 'one' });
    } finally {
      await server.thaw();
      await database.close();
    }
  });
});
