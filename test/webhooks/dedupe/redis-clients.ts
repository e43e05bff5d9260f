import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterAll, beforeAll } from 'vitest';
import { shared } from '../../run/shared.js';

const redis = await shared('redis');

/** Why there is no Redis. Undefined if there is one. */
export const missingRedis = 'missing' in redis ? redis.missing : undefined;

/** Clients of both packages, for the tests of a suite. */
export function useRedisClients() {
  let nodeRedis: ReturnType<typeof createClient>;
  let ioredis: Redis;

  beforeAll(async () => {
    if ('missing' in redis) return;
    nodeRedis = createClient({ url: redis.url });
    await nodeRedis.connect();
    ioredis = new Redis(redis.url, { lazyConnect: true });
    await ioredis.connect();
  });

  afterAll(() => {
    nodeRedis?.destroy();
    ioredis?.disconnect();
  });

  return {
    nodeRedis: () => nodeRedis,
    ioredis: () => ioredis,
    /** Time is the server's: rather than wait for it, take it from what each key with the prefix has left. */
    async pass(prefix: string, milliseconds: number): Promise<void> {
      for (const key of await ioredis.keys(`${prefix}*`)) {
        await ioredis.pexpire(key, (await ioredis.pttl(key)) - milliseconds);
      }
    },
  };
}
