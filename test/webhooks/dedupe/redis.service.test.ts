import {
  createRedisDedupeStore,
  type IoredisClient,
  type NodeRedisClient,
} from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import { notRun } from '../../run/debian.js';
import { keepsThePromises } from './conformance.js';
import { missingRedis, useRedisClients } from './redis-clients.js';

const suffix = missingRedis === undefined ? '' : notRun('the dedupe store in Redis', missingRedis);

describe.skipIf(missingRedis)(`the store in Redis${suffix}`, () => {
  const clients = useRedisClients();
  let stores = 0;
  const run = crypto.randomUUID();

  function createStore(client: NodeRedisClient | IoredisClient) {
    stores += 1;
    const prefix = `${run} store ${stores}:`;
    return {
      store: createRedisDedupeStore(client, { prefix }),
      pass: (milliseconds: number) => clients.pass(prefix, milliseconds),
    };
  }

  describe('by node-redis', () => {
    keepsThePromises(() => createStore(clients.nodeRedis()));
  });

  describe('by ioredis', () => {
    keepsThePromises(() => createStore(clients.ioredis()));
  });

  test('every key begins with the prefix and ends by itself', async () => {
    const ioredis = clients.ioredis();
    const store = createRedisDedupeStore(ioredis);
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
