import { describe, expect, test } from 'vitest';
import { Database } from '../../src/postgres/database/connection.js';
import { postgresStore } from '../../src/postgres/index.js';
import { Counters } from '../../src/postgres/replica/counters.js';
import { sweep } from '../../src/postgres/replica/sweep.js';
import { missingPostgres, usePostgres } from './support/database.js';
import { waitingWorkspace } from './support/replicas.js';

describe.skipIf(missingPostgres)('a sweep', () => {
  const postgres = usePostgres();

  test('adds jobs for due work, except for subscriptions with running attempts', async () => {
    const { connectionString, freshSchema, server } = postgres();
    const schema = await freshSchema();
    const counters = new Counters();
    const database = new Database({ connectionString, schema });
    // Without `open`, nothing else sweeps or runs the jobs.
    const store = postgresStore({ connectionString, schema });
    const sweptKinds = async () => {
      await server.pool.query(`delete from "${schema}_jobs"._private_jobs`);
      await sweep(database, 0, counters);
      const { rows } = await server.pool.query<{ kind: string }>(
        `select split_part(key, ':', 1) as kind from "${schema}_jobs".jobs order by key`,
      );
      return rows.map(({ kind }) => kind);
    };
    try {
      await store.addWorkspace(waitingWorkspace({ deliveries: 0, run: 0 }, 'w'));
      expect(await sweptKinds()).toEqual(['deliveries', 'journey_run']);

      const { outbox } = store.workspace('w');
      await outbox.redeliver('delivery', 'second', 0);
      await outbox.redeliver('delivery', 'third', 0);
      expect(await outbox.claimDue('subscription', 1, 2)).toHaveLength(2);
      expect(await sweptKinds()).toEqual(['journey_run']);
      expect(counters.read()).toMatchObject({ sweeps: 2, sweptWork: 3, expiredClaims: 0 });

      // One attempt still runs. The replica of the other died.
      await server.pool.query(
        `update "${schema}".deliveries set lease_until = clock_timestamp() where id = 'delivery'`,
      );
      expect(await sweptKinds()).toEqual(['deliveries', 'journey_run']);
      expect(counters.read()).toMatchObject({ sweeps: 3, sweptWork: 5, expiredClaims: 1 });
    } finally {
      await store.close();
      await database.close();
    }
  });
});
