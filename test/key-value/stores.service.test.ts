import {
  createPostgresIdempotencyStore,
  createRedisIdempotencyStore,
  type IoredisClient,
  type NodeRedisClient,
} from 'messaging-automation';
import { createKeyValueDedupeStore } from 'messaging-automation/webhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type StoreOfSends, sendsOnce } from '../client/idempotency/sending-once.js';
import { missingPostgres, usePostgres } from '../postgres/support/database.js';
import { notRun } from '../run/debian.js';
import { keepsThePromises } from '../webhooks/dedupe/conformance.js';
import { missingRedis, useRedisClients } from '../webhooks/dedupe/redis-clients.js';

/** The promises of a key-value service are those of a dedupe store upon it, and of a client. */
function keepsAll(createStore: () => Promise<StoreOfSends>): void {
  keepsThePromises(async () => {
    const { store, pass } = await createStore();
    return { store: createKeyValueDedupeStore(store), pass };
  });
  sendsOnce(createStore);
}

describe.skipIf(missingPostgres)('idempotency keys in PostgreSQL', () => {
  const postgres = usePostgres();
  let tables = 0;

  async function createStore() {
    tables += 1;
    const { pool } = postgres().server;
    const table = `keys_${tables}`;
    const store = createPostgresIdempotencyStore(pool, { table });
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
});

const suffix = missingRedis === undefined ? '' : notRun('idempotency keys in Redis', missingRedis);

describe.skipIf(missingRedis)(`idempotency keys in Redis${suffix}`, () => {
  const clients = useRedisClients();
  const run = crypto.randomUUID();
  let stores = 0;

  async function createStore(client: NodeRedisClient | IoredisClient) {
    stores += 1;
    const prefix = `${run} sends ${stores}:`;
    const pass = (milliseconds: number) => clients.pass(prefix, milliseconds);
    return { store: createRedisIdempotencyStore(client, { prefix }), pass };
  }

  describe('by node-redis', () => keepsAll(() => createStore(clients.nodeRedis())));

  describe('by ioredis', () => keepsAll(() => createStore(clients.ioredis())));

  test('the default prefix keeps sends apart from deliveries', async () => {
    const ioredis = clients.ioredis();
    const store = createRedisIdempotencyStore(ioredis);
    await store.set(run, 'value', 60_000);
    const name = `messaging-automation:send:${run}`;
    onTestFinished(async () => void (await ioredis.del(name)));
    expect(await ioredis.get(name)).toBe('value');
  });
});
