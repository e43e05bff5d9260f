import { Redis } from 'ioredis';
import {
  createKeyValueDedupeStore,
  createMemoryDedupeStore,
  createPostgresDedupeStore,
  createRedisDedupeStore,
  type DedupeStore,
  type KeyValueService,
} from 'messaging-automation/webhooks';
import { Pool } from 'pg';
import { createClient } from 'redis';
import { createClient as createClient4 } from 'redis-4';
import { createClient as createClient5 } from 'redis-5';
import { endPool } from '../../run/postgres-server.js';
import type { StoreName } from './promises.js';

/** A store as one process has it, with a client of its own that has no settings but the address. Only the store listens to its errors. */
export interface Connection {
  readonly store: DedupeStore;
  close(): Promise<unknown>;
}

const byNodeRedis = (create: typeof createClient) => async (url: string) => {
  const client = create({ url });
  const store = createRedisDedupeStore(client);
  await client.connect();
  return { store, close: () => client.disconnect().catch(() => {}) };
};

export const connections: Readonly<Record<StoreName, (url: string) => Promise<Connection>>> = {
  memory: async () => ({ store: createMemoryDedupeStore(), close: async () => {} }),
  'node-redis 4': byNodeRedis(createClient4),
  'node-redis 5': byNodeRedis(createClient5),
  'node-redis 6': byNodeRedis(createClient),
  async ioredis(url) {
    const client = new Redis(url, { lazyConnect: true });
    const store = createRedisDedupeStore(client);
    await client.connect();
    return { store, close: async () => client.disconnect() };
  },
  async PostgreSQL(url) {
    const pool = new Pool({ connectionString: url });
    const store = createPostgresDedupeStore(pool);
    await store.migrate();
    return { store, close: () => endPool(pool) };
  },
  'key-value': async (url) => ({
    store: createKeyValueDedupeStore(keyValueService(url)),
    close: async () => {},
  }),
};

/** The Durable Object of the examples, as its server shows it. */
function keyValueService(url: string): KeyValueService {
  const call = async (...words: readonly unknown[]) => {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(words) });
    return response.json();
  };
  return {
    get: (...words) => call('get', ...words),
    set: (...words) => call('set', ...words),
    setIfAbsent: (...words) => call('setIfAbsent', ...words),
    replaceIfEqual: (...words) => call('replaceIfEqual', ...words),
    deleteIfEqual: (...words) => call('deleteIfEqual', ...words),
  };
}
