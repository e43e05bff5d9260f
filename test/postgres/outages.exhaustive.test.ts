import { Pool } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { missingPostgres, useOwnPostgres } from './support/database.js';
import {
  changed,
  emptyWorkspace,
  type OpenStore,
  openStore,
  openTwo,
  untilItHolds,
  waitingWorkspace,
} from './support/replicas.js';

const lease = '400ms';

describe.skipIf(missingPostgres)('a store whose database goes away', () => {
  const postgres = useOwnPostgres();

  const cutAll = () =>
    postgres().server.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'messaging-automation'`,
    );

  /** A job, a notice from elsewhere and a sweep all still work. */
  async function worksAgain({ store, told }: OpenStore, id: string) {
    const jobs = store.counters().jobs ?? 0;
    await store.records.addWorkspace(emptyWorkspace(id));
    await changed(store.records.workspace(id).settings);
    await told.until(({ changes }) => changes.some(([about, part]) => about === id && part === 'settings'));
    await store.records.addWorkspace(waitingWorkspace({ run: Date.now() + 100 }, `${id} waits`));
    await told.until(({ due }) => due.some(([about]) => about === `${id} waits`));
    await untilItHolds('a job has run', async () => (store.counters().jobs ?? 0) > jobs);
  }

  test('goes on when all connections are cut', async () => {
    const open = await openStore(postgres(), { lease });
    const { told, store } = open;
    await worksAgain(open, 'before');
    for (let round = 1; round <= 5; round += 1) {
      await cutAll();
      await told.until(({ returns }) => returns >= round);
      await worksAgain(open, `after ${round}`);
    }
    expect(store.counters().reconnects).toBe(5);
    const reported = expect.stringMatching(
      /^StoreCause: The server has lost a connection to its database\. .*57P01/,
    );
    // A cause is reported once a minute, and not for each of the 50 and more connections that were cut. One that begins meanwhile, or that
    // writes, may end with another code.
    const causes = new Set(told.failures.map(String));
    expect([...causes]).toContainEqual(reported);
    expect(causes.size).toBeLessThanOrEqual(5);
  });

  test('goes on when jobs run while connections are cut', async () => {
    const { server } = postgres();
    const open = await openStore(postgres(), { lease });
    const { schema, told, store } = open;
    await store.records.addWorkspace(emptyWorkspace('w'));
    for (let round = 1; round <= 10; round += 1) {
      await server.pool.query(
        `select "${schema}".add_due_jobs(array[number], array['events'], array[i::text], array[now()])
         from "${schema}".workspaces, generate_series(1, 50) i`,
      );
      await told.until(({ due }) => due.length >= round * 5);
      await cutAll();
      await told.until(({ returns }) => returns >= round);
    }
    await worksAgain(open, 'after');
    expect(store.counters().reconnects).toBe(10);
  });

  test('ignores a notice that another program sends on its channel', async () => {
    const { server } = postgres();
    const open = await openStore(postgres(), { lease });
    const { schema } = open;
    for (const payload of ['not JSON', 'null', '{}', '']) {
      await server.pool.query('select pg_notify($1, $2)', [schema, payload]);
    }
    await open.told.until(({ returns }) => returns === 4);
    await worksAgain(open, 'after');
  });

  test('notices when the database stands still, closes meanwhile, and goes on afterwards', async () => {
    const { server } = postgres();
    const { one, other } = await openTwo(postgres(), { lease });
    await server.freeze();
    await one.told.until(({ failures }) => failures.length > 0);
    await other.store.close();
    await server.thaw();
    await one.told.until(({ returns }) => returns > 0);
    await worksAgain(one, 'after');
  });

  test('listens to the errors of a connection before anybody has it', async () => {
    const { connectionString } = postgres();
    const pool = new Pool({ connectionString });
    onTestFinished(() => pool.end()); // after the store, which is closed first
    const listeners: number[] = [];
    pool.on('acquire', (client) => listeners.push(client.listenerCount('error')));
    await openStore(postgres(), { pool, schema: 'listening', lease });
    // The pool has one, until it gives the connection away.
    expect(Math.min(...listeners)).toBe(2);
  });
});
