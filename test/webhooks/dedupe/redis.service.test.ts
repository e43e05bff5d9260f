import { Redis } from 'ioredis';
import {
  createRedisDedupeStore,
  type IoredisClient,
  type NodeRedisClient,
} from 'messaging-automation/webhooks';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { notRun } from '../../run/debian.js';
import { shared } from '../../run/shared.js';
import { keepsThePromises } from './conformance.js';

const redis = await shared('redis');
const suffix = 'missing' in redis ? notRun('the dedupe store in Redis', redis.missing) : '';

describe.runIf('url' in redis)(`the store in Redis${suffix}`, () => {
  let nodeRedis: ReturnType<typeof createClient>;
  let ioredis: Redis;
  let stores = 0;
  const run = crypto.randomUUID();

  beforeAll(async () => {
    if ('missing' in redis) return;
    nodeRedis = createClient({ url: redis.url });
    await nodeRedis.connect();
    ioredis = new Redis(redis.url, { lazyConnect: true });
    await ioredis.connect();
  });

  afterAll(async () => {
    nodeRedis?.destroy();
    ioredis?.disconnect();
  });

  /** Time is the server's: rather than wait for it, take it from what each key has left. */
  async function pass(prefix: string, milliseconds: number): Promise<void> {
    for (const key of await ioredis.keys(`${prefix}*`)) {
      await ioredis.pexpire(key, (await ioredis.pttl(key)) - milliseconds);
    }
  }

  function createStore(client: NodeRedisClient | IoredisClient) {
    stores += 1;
    const prefix = `${run} store ${stores}:`;
    return {
      store: createRedisDedupeStore(client, { prefix }),
      pass: (milliseconds: number) => pass(prefix, milliseconds),
    };
  }

  describe('by node-redis', () => {
    keepsThePromises(() => createStore(nodeRedis));
  });

  describe('by ioredis', () => {
    keepsThePromises(() => createStore(ioredis));
  });

  test('every key begins with the prefix and ends by itself', async () => {
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
