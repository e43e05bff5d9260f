import { Redis } from 'ioredis';
import { createPostgresDedupeStore, createRedisDedupeStore } from 'messaging-automation/webhooks';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe } from 'vitest';
import { warnOfMissing } from './availability.js';
import { outlivesOutages } from './outages.js';
import { findPostgres } from './postgres-programs.js';
import { type PostgresServer, startPostgres } from './postgres-server.js';
import { findRedisServer, type RedisServer, startRedis } from './redis-server.js';

const redis = await findRedisServer();
const redisSuffix = 'missing' in redis ? ` (${warnOfMissing('a Redis that fails', redis.missing)})` : '';

describe.runIf('program' in redis)(`a receiver whose Redis fails${redisSuffix}`, () => {
  let server: RedisServer;

  beforeAll(async () => {
    if ('missing' in redis) return;
    server = await startRedis(redis.program);
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

const postgres = findPostgres();
const postgresSuffix =
  'missing' in postgres ? ` (${warnOfMissing('a PostgreSQL that fails', postgres.missing)})` : '';

describe.runIf('programs' in postgres)(`a receiver whose PostgreSQL fails${postgresSuffix}`, () => {
  let server: PostgresServer;

  beforeAll(async () => {
    if ('missing' in postgres) return;
    server = await startPostgres(postgres);
    await createPostgresDedupeStore(server.pool).migrate();
  });

  afterAll(async () => {
    await server?.stop();
  });

  outlivesOutages(() => ({ store: createPostgresDedupeStore(server.pool), server }));
});
