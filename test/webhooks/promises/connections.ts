import {
  createDedupeStore,
  createMemoryDedupeStore,
  createPostgresKeyValueStore,
  createRedisKeyValueStore,
  type DedupeStore,
  type KeyValueService,
} from 'messaging-automation/webhooks';
import type { StoreName } from './promises.js';

/** A store as one process has it, with a client of its own that has no settings but the address. Only the store listens to its errors. */
export interface Connection {
  readonly store: DedupeStore;
  close(): Promise<unknown>;
}

// Each client is loaded when it is asked for, so that a process which needs one starts sooner.
const byNodeRedis = (load: () => Promise<typeof import('redis')>) => async (url: string) => {
  const { createClient } = await load();
  const client = createClient({ url });
  const store = createDedupeStore(createRedisKeyValueStore(client));
  await client.connect();
  return { store, close: () => client.disconnect().catch(() => {}) };
};

export const connections: Readonly<Record<StoreName, (url: string) => Promise<Connection>>> = {
  memory: async () => ({ store: createMemoryDedupeStore(), close: async () => {} }),
  'node-redis 4': byNodeRedis(() => import('redis-4')),
  'node-redis 5': byNodeRedis(() => import('redis-5')),
  'node-redis 6': byNodeRedis(() => import('redis')),
  async ioredis(url) {
    const { Redis } = await import('ioredis');
    const client = new Redis(url, { lazyConnect: true });
    const store = createDedupeStore(createRedisKeyValueStore(client));
    await client.connect();
    return { store, close: async () => client.disconnect() };
  },
  async PostgreSQL(url) {
    const { Pool } = await import('pg');
    const { endPool } = await import('../../run/postgres-server.js');
    const pool = new Pool({ connectionString: url });
    const store = createPostgresKeyValueStore(pool);
    await store.migrate();
    return { store: createDedupeStore(store), close: () => endPool(pool) };
  },
  'key-value': async (url) => ({
    store: createDedupeStore(keyValueService(url)),
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
