import { Redis } from 'ioredis';
import { createPostgresDedupeStore, createRedisDedupeStore } from 'messaging-automation/webhooks';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe } from 'vitest';
import { missingPostgres, useOwnPostgres } from '../../postgres/support/database.js';
import { notRun } from '../../run/debian.js';
import { findRedis, type RedisServer, startRedis } from '../../run/redis-server.js';
import { outlivesOutages } from './outages.js';

const redis = await findRedis();
const redisSuffix = 'missing' in redis ? notRun('the receiver with a Redis that fails', redis.missing) : '';

describe.runIf('program' in redis)(`a receiver whose Redis fails${redisSuffix}`, () => {
  let server: RedisServer;

  beforeAll(async () => {
    if ('missing' in redis) return;
    server = await startRedis();
  });

  afterAll(async () => {
    await server?.stop();
  });

  describe('by node-redis', () => {
    let client: ReturnType<typeof createClient>;
    beforeAll(async () => {
      client = createClient({ url: server.url });
      await client.connect();
    });
    afterAll(() => client?.destroy());

    outlivesOutages(() => ({ store: createRedisDedupeStore(client), server }));
  });

  describe('by ioredis', () => {
    let client: Redis;
    beforeAll(async () => {
      client = new Redis(server.url, { lazyConnect: true });
      await client.connect();
    });
    afterAll(() => client?.disconnect());

    outlivesOutages(() => ({ store: createRedisDedupeStore(client), server }));
  });
});

describe.skipIf(missingPostgres)('a receiver whose PostgreSQL fails', () => {
  const postgres = useOwnPostgres();

  beforeAll(() => createPostgresDedupeStore(postgres().server.pool).migrate());

  outlivesOutages(() => {
    const { server } = postgres();
    return { store: createPostgresDedupeStore(server.pool), server };
  });
});
