import { describe, expect, onTestFinished, test } from 'vitest';
import { Database } from '../../../src/postgres/database/connection.js';
import { postgresStore } from '../../../src/postgres/index.js';
import { noCounts } from '../../../src/postgres/replica/replica-parts.js';
import { sweep } from '../../../src/postgres/replica/sweep.js';
import { listed } from '../../server/store-conformance/opening.js';
import { missingPostgres, usePostgres } from '../support/database.js';
import { waitingWorkspace } from '../support/replicas.js';

describe.skipIf(missingPostgres)('a sweep', () => {
  const postgres = usePostgres();

  /** A store that is not open, so that nothing else sweeps or runs the jobs. */
  async function closedStore() {
    const { connectionString, freshSchema, server } = postgres();
    const schema = await freshSchema();
    const counters = noCounts();
    const database = new Database({ connectionString, schema });
    const store = postgresStore({ connectionString, schema });
    onTestFinished(async () => {
      await store.close();
      await database.close();
    });
    const query = (text: string) => server.pool.query(text.replaceAll(':schema', `"${schema}"`));
    return {
      store,
      counters,
      query,
      /** Sweeps, and returns the workspace, the kind and the id of the work of each job that was added. */
      async swept(): Promise<readonly string[]> {
        await query(`delete from "${schema}_jobs"._private_jobs`);
        await sweep(database, 0, counters, async () => true);
        const { rows } = await query(`select payload from "${schema}_jobs"._private_jobs`);
        return rows.map(({ payload: { workspace, kind, id } }) => `${workspace} ${kind} ${id}`.trim()).sort();
      },
    };
  }

  test('adds a job for each due subscription and run of every workspace, by the clock of each', async () => {
    const { store, swept } = await closedStore();
    const day = 86_400_000;
    const inAnHour = Date.now() + 3_600_000;
    const subscriptions = ['a', 'b'];
    const waiting = { deliveries: inAnHour, run: inAnHour, subscriptions };
    await store.records.addWorkspace(waitingWorkspace(waiting, 'ahead', { flow: 'flowing', ahead: day }));
    await store.records.addWorkspace(waitingWorkspace(waiting, 'behind', { flow: 'flowing', ahead: -day }));
    await store.records.addWorkspace(waitingWorkspace(waiting, 'on time'));
    await store.records.addWorkspace(waitingWorkspace(waiting, 'reached', { flow: 'frozen', now: inAnHour }));
    await store.records.addWorkspace(
      waitingWorkspace(waiting, 'not reached', { flow: 'frozen', now: inAnHour - 1 }),
    );

    expect(await swept()).toEqual(
      ['ahead', 'reached'].flatMap((id) => [
        `${id} deliveries a`,
        `${id} deliveries b`,
        `${id} journey_run run`,
      ]),
    );
  });

  test('adds no job for a subscription while an attempt runs, until its replica is gone', async () => {
    const { store, counters, query, swept } = await closedStore();
    await store.records.addWorkspace(waitingWorkspace({ deliveries: 0, run: 0 }, 'w'));
    expect(await swept()).toEqual(['w deliveries subscription', 'w journey_run run']);

    const { outbox } = store.records.workspace('w');
    await outbox.redeliver('delivery', 'second', 0);
    await outbox.redeliver('delivery', 'third', 0);
    expect(await outbox.claimDue('subscription', 1, 2)).toHaveLength(2);
    expect(await swept()).toEqual(['w journey_run run']);
    expect(counters).toMatchObject({ sweeps: 2, sweptWork: 3, expiredClaims: 0 });

    // One attempt still runs. The replica of the other died.
    await query(`update :schema.claims set lease_until = clock_timestamp() where id = 'delivery'`);
    expect(await swept()).toEqual(['w deliveries subscription', 'w journey_run run']);
    expect(counters).toMatchObject({ sweeps: 3, sweptWork: 5, expiredClaims: 1 });
  });

  test('cancels the abandoned attempts of a deleted subscription, and not those that run', async () => {
    const { store, query, swept } = await closedStore();
    const waiting = { deliveries: 0, subscriptions: ['deleted', 'kept'] };
    await store.records.addWorkspace(waitingWorkspace(waiting, 'w'));
    const workspace = store.records.workspace('w');
    const { outbox } = workspace;
    await outbox.redeliver('delivery to deleted', 'abandoned', 0);
    const running = await outbox.claimDue('deleted', 1, 2);
    await outbox.claimDue('kept', 1, 1);
    await workspace.deleteSubscription('deleted');
    await query(
      `update :schema.claims set lease_until = clock_timestamp() where id in ('abandoned', 'delivery to kept')`,
    );
    await swept();

    const statuses = (await listed(outbox)).map(({ id, status }) => [id, status]);
    expect(statuses).toEqual([
      ['delivery to deleted', 'pending'],
      ['delivery to kept', 'pending'],
      ['abandoned', 'cancelled'],
    ]);
    const [claimed] = running.filter(({ delivery }) => delivery.id === 'delivery to deleted');
    if (claimed === undefined) throw new Error('The delivery was not claimed.');
    const attempt = { number: 1, startedAt: 1, signature: 's', status: 200 };
    expect(await outbox.recordAttempt(claimed.claim, attempt, { status: 'delivered' })).toMatchObject({
      status: 'delivered',
    });
  });
});
