import { randomUUID } from 'node:crypto';
import { createPostgresDedupeStore } from 'messaging-automation/webhooks';
import { Pool } from 'pg';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { missingPostgres, usePostgres } from '../../postgres/support/database.js';
import { keepsThePromises } from './conformance.js';

describe.skipIf(missingPostgres)('the store in PostgreSQL', () => {
  const postgres = usePostgres();
  let pool: Pool;
  let tables = 0;

  beforeAll(() => {
    pool = postgres().server.pool;
  });

  async function createStore() {
    tables += 1;
    const table = `deliveries_${tables}`;
    const store = createPostgresDedupeStore(pool, { table });
    await store.migrate();
    return { store, table };
  }

  /** Rather than wait for it, takes the time from what each row has left. */
  async function pass(table: string, milliseconds: number): Promise<void> {
    const earlier = `expires_at - ${milliseconds} * interval '1 millisecond'`;
    await pool.query(`UPDATE ${table} SET expires_at = ${earlier}`);
  }

  keepsThePromises(async () => {
    const { store, table } = await createStore();
    return { store, pass: (milliseconds) => pass(table, milliseconds) };
  });

  test('transactions that are serializable by default settle as any others', async () => {
    const { table } = await createStore();
    const url = new URL(postgres().connectionString);
    url.searchParams.set('options', '-c default_transaction_isolation=serializable');
    const serializable = new Pool({ connectionString: url.href, max: 10 });
    onTestFinished(() => serializable.end());
    const store = createPostgresDedupeStore(serializable, { table });
    for (let round = 0; round < 10; round += 1) {
      const claims = Array.from({ length: 20 }, (_, holder) =>
        store.claim(`key ${round}`, { holder: `${holder}`, lease: 60_000 }),
      );
      const settled = Array.from({ length: 20 }, (_, key) =>
        store.commit(`${round}/${key}`, { holder: 'a', ttl: 1 }),
      );
      expect((await Promise.all(claims)).filter((claim) => claim === 'claimed')).toHaveLength(1);
      await Promise.all([...settled, store.prune()]);
    }
  });

  test('migrates as a role that may create nothing, if the table is there', async () => {
    const { table } = await createStore();
    const client = await pool.connect();
    const role = `role_${randomUUID().replaceAll('-', '')}`;
    try {
      await client.query(`CREATE ROLE ${role}; GRANT ALL ON ${table} TO ${role}; SET ROLE ${role}`);
      await createPostgresDedupeStore(client, { table }).migrate();
      const missing = createPostgresDedupeStore(client, { table: 'not_there' });
      await expect(missing.migrate()).rejects.toThrow('permission denied');
    } finally {
      await client.query(`RESET ROLE; DROP OWNED BY ${role}; DROP ROLE ${role}`);
      client.release();
    }
  });

  test('prunes what is over and nothing else', async () => {
    const { store, table } = await createStore();
    await store.claim('over', { holder: 'first', lease: 1_000 });
    await store.commit('over too', { holder: 'first', ttl: 1_000 });
    await store.claim('claimed', { holder: 'first', lease: 2_000 });
    await store.commit('done', { holder: 'first', ttl: 2_000 });
    await pass(table, 1_000);

    expect(await store.prune()).toBe(2);
    expect(await store.prune()).toBe(0);
    const { rows } = await pool.query(`SELECT key FROM ${table} ORDER BY key`);
    expect(rows).toEqual([{ key: 'claimed' }, { key: 'done' }]);
  });

  test('keeps tables of one name in two schemas, and two tables in one schema, apart', async () => {
    await pool.query('CREATE SCHEMA IF NOT EXISTS first; CREATE SCHEMA IF NOT EXISTS second');
    const tables = ['first.deliveries', 'first.orders', 'second.deliveries'];
    const stores = tables.map((table) => createPostgresDedupeStore(pool, { table }));
    for (const store of stores) await store.migrate();
    await stores[0]?.commit('key', { holder: 'first', ttl: 60_000 });
    const claims = stores.map((store) => store.claim('key', { holder: 'second', lease: 60_000 }));

    expect(await Promise.all(claims)).toEqual(['done', 'claimed', 'claimed']);
    const { rows } = await pool.query(
      `SELECT schemaname || '.' || tablename AS name FROM pg_indexes
       WHERE indexdef LIKE '%(expires_at)' AND schemaname IN ('first', 'second') ORDER BY name`,
    );
    expect(rows.map(({ name }) => name)).toEqual(tables);
  });

  test('migrates once, however many ask at once', async () => {
    const stores = Array.from({ length: 10 }, () =>
      createPostgresDedupeStore(pool, { table: 'public.migrated_at_once' }),
    );
    await Promise.all(stores.map((store) => store.migrate()));
    await stores[0]?.migrate();

    const claims = stores.map((store, index) => store.claim('key', { holder: `${index}`, lease: 60_000 }));
    expect((await Promise.all(claims)).filter((claim) => claim === 'claimed')).toHaveLength(1);
  });

  test('its schema is for migrations of your own', async () => {
    const store = createPostgresDedupeStore(pool);
    await pool.query(store.schema);

    expect(store.schema).toContain('CREATE TABLE IF NOT EXISTS "webhook_deliveries"');
    expect(await store.claim('key', { holder: 'first', lease: 60_000 })).toBe('claimed');
  });
});
