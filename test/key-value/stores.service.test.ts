import { randomUUID } from 'node:crypto';
import {
  createPostgresKeyValueStore,
  createRedisKeyValueStore,
  type IoredisClient,
  type NodeRedisClient,
} from 'messaging-automation';
import { createDedupeStore } from 'messaging-automation/webhooks';
import { Pool } from 'pg';
import { RESP_TYPES } from 'redis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type StoreOfSends, sendsOnce } from '../client/idempotency/sending-once.js';
import { missingPostgres, usePostgres } from '../postgres/support/database.js';
import { notRun } from '../run/debian.js';
import { keepsThePromises } from '../webhooks/dedupe/conformance.js';
import { missingRedis, useRedisClients } from '../webhooks/dedupe/redis-clients.js';
import { listed, listsEntries, takesAnyTimeToLive } from './store-checks.js';

/** The promises of a key-value service are those of a dedupe store upon it, and of a client, and those of its own. */
function keepsAll(createStore: () => Promise<StoreOfSends>): void {
  keepsThePromises(async () => {
    const { store, pass } = await createStore();
    return { store: createDedupeStore(store), pass };
  });
  sendsOnce(createStore);
  listsEntries(createStore);
  takesAnyTimeToLive(createStore);
}

describe.skipIf(missingPostgres)('a store in PostgreSQL', () => {
  const postgres = usePostgres();
  let tables = 0;

  async function createStore() {
    tables += 1;
    const { pool } = postgres().server;
    const table = `keys_${tables}`;
    const store = createPostgresKeyValueStore(pool, { table });
    await store.migrate();
    const pass = async (milliseconds: number) => {
      const earlier = `expires_at - ${milliseconds} * interval '1 millisecond'`;
      await pool.query(`UPDATE ${table} SET expires_at = ${earlier}`);
    };
    return { store, table, pass };
  }

  keepsAll(createStore);

  test('prune deletes what has expired, and nothing else', async () => {
    const { store, pass } = await createStore();
    await store.setIfAbsent('brief', 'a', 1_000);
    await store.setIfAbsent('long', 'b', 2_000);
    await pass(1_000);
    expect(await store.prune()).toBe(1);
    expect([await store.get('brief'), await store.get('long')]).toEqual([undefined, 'b']);
  });

  test('transactions that are serializable by default settle as any others', async () => {
    const { table } = await createStore();
    const url = new URL(postgres().connectionString);
    url.searchParams.set('options', '-c default_transaction_isolation=serializable');
    const serializable = new Pool({ connectionString: url.href, max: 10 });
    onTestFinished(() => serializable.end());
    const store = createPostgresKeyValueStore(serializable, { table });
    for (let round = 0; round < 10; round += 1) {
      const claims = Array.from({ length: 20 }, (_, holder) =>
        store.setIfAbsent(`key ${round}`, `${holder}`, 60_000),
      );
      const settled = Array.from({ length: 20 }, (_, key) => store.set(`${round}/${key}`, 'a', 1));
      expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
      await Promise.all([...settled, store.prune()]);
    }
  });

  test('migrates as a role that may create nothing, if the table is there', async () => {
    const { table } = await createStore();
    const client = await postgres().server.pool.connect();
    const role = `role_${randomUUID().replaceAll('-', '')}`;
    try {
      await client.query(`CREATE ROLE ${role}; GRANT ALL ON ${table} TO ${role}; SET ROLE ${role}`);
      await createPostgresKeyValueStore(client, { table }).migrate();
      const missing = createPostgresKeyValueStore(client, { table: 'not_there' });
      await expect(missing.migrate()).rejects.toThrow('needs CREATE on the schema');
    } finally {
      await client.query(`RESET ROLE; DROP OWNED BY ${role}; DROP ROLE ${role}`);
      client.release();
    }
  });

  test('keeps tables of one name in two schemas, and two tables in one schema, apart', async () => {
    await postgres().server.pool.query(
      'CREATE SCHEMA IF NOT EXISTS first; CREATE SCHEMA IF NOT EXISTS second',
    );
    const tables = ['first.deliveries', 'first.orders', 'second.deliveries'];
    const stores = tables.map((table) => createPostgresKeyValueStore(postgres().server.pool, { table }));
    for (const store of stores) await store.migrate();
    await stores[0]?.set('key', 'first', 60_000);
    const claims = stores.map((store) => store.setIfAbsent('key', 'second', 60_000));

    expect(await Promise.all(claims)).toEqual([false, true, true]);
    const { rows } = await postgres().server.pool.query(
      `SELECT schemaname || '.' || tablename AS name FROM pg_indexes
       WHERE indexdef LIKE '%(expires_at)' AND schemaname IN ('first', 'second') ORDER BY name`,
    );
    expect(rows.map(({ name }) => name)).toEqual(tables);
  });

  test('migrates once, however many ask at once', async () => {
    const stores = Array.from({ length: 10 }, () =>
      createPostgresKeyValueStore(postgres().server.pool, { table: 'public.migrated_at_once' }),
    );
    await Promise.all(stores.map((store) => store.migrate()));
    await stores[0]?.migrate();

    const claims = stores.map((store, index) => store.setIfAbsent('key', `${index}`, 60_000));
    expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
  });

  test('its schema is for migrations of your own', async () => {
    const store = createPostgresKeyValueStore(postgres().server.pool);
    await postgres().server.pool.query(store.schema);

    expect(store.schema).toContain('CREATE TABLE IF NOT EXISTS "messaging_automation_keys"');
    expect(await store.setIfAbsent('key', 'first', 60_000)).toBe(true);
  });
});

const suffix = missingRedis === undefined ? '' : notRun('a store in Redis', missingRedis);

describe.skipIf(missingRedis)(`a store in Redis${suffix}`, () => {
  const clients = useRedisClients();
  const run = crypto.randomUUID();
  let stores = 0;

  async function createStore(client: NodeRedisClient | IoredisClient) {
    stores += 1;
    const prefix = `${run} sends ${stores}:`;
    const pass = (milliseconds: number) => clients.pass(prefix, milliseconds);
    return { store: createRedisKeyValueStore(client, { prefix }), pass };
  }

  describe('by node-redis', () => keepsAll(() => createStore(clients.nodeRedis())));

  describe('by ioredis', () => keepsAll(() => createStore(clients.ioredis())));

  test('lists by clients that return bytes, or big integers', async () => {
    const { store } = await createStore(clients.ioredis());
    const prefix = `${run} sends ${stores}:`;
    await store.set('send:1', 'ü🎉', 60_000);
    const bytes = clients.nodeRedis().withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });

    expect(await listed(createRedisKeyValueStore(bytes, { prefix }), 'send:', 'ü')).toEqual([
      ['send:1', 'ü🎉'],
    ]);
  });

  test('lists only what is under its own prefix, whatever characters it has', async () => {
    const ioredis = clients.ioredis();
    const [mine, other] = [`${run} [a]*:`, `${run} a:`].map((prefix) =>
      createRedisKeyValueStore(ioredis, { prefix }),
    );
    await mine?.set('send:1', 'a', 60_000);
    await other?.set('send:2', 'a', 60_000);

    expect(mine && (await listed(mine, 'send:', ''))).toEqual([['send:1', 'a']]);
    expect(other && (await listed(other, 'send:', ''))).toEqual([['send:2', 'a']]);
  });

  test('leaves out what has another type, because it is not of the store', async () => {
    const { store } = await createStore(clients.ioredis());
    await clients.ioredis().rpush(`${run} sends ${stores}:send:list`, 'a');
    await store.set('send:1', 'a', 60_000);

    expect(await listed(store, 'send:', '')).toEqual([['send:1', 'a']]);
  });

  test('every key begins with the prefix and ends by itself', async () => {
    const ioredis = clients.ioredis();
    const store = createDedupeStore(createRedisKeyValueStore(ioredis));
    await store.claim(`${run} claimed`, { holder: 'first', lease: 60_000.5 });
    await store.commit(`${run} done`, { holder: 'first', ttl: 3_600_000 });
    const [claimed, done] = await Promise.all(
      ['claimed', 'done'].map((key) => ioredis.pttl(`messaging-automation:dedupe:${run} ${key}`)),
    );

    expect(claimed).toBeGreaterThan(0);
    expect(claimed).toBeLessThanOrEqual(60_001);
    expect(done).toBeGreaterThan(60_001);
    expect(done).toBeLessThanOrEqual(3_600_000);
  });
});
