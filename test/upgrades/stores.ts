import type { KeyValueService } from 'messaging-automation';
import { Pool } from 'pg';
import { createClient } from 'redis';
import { endPool } from '../run/postgres-server.js';
import type { StoryGround } from './story.js';
import { entryOf, type PackageVersion } from './versions.js';

/** A store of a process of some version. */
export interface OpenedStore {
  readonly store: KeyValueService;
  /** Cuts the process off, as its end would. */
  cut(): Promise<unknown>;
}

export type OpenStore = (version: PackageVersion) => Promise<OpenedStore>;

/** A connection to the Redis of a story. */
export async function connectRedis({ redisUrl, atEnd }: StoryGround) {
  const client = createClient({ url: redisUrl });
  client.on('error', () => {});
  await client.connect();
  const cut = async () => {
    if (client.isOpen) client.destroy();
  };
  atEnd(cut);
  return { client, cut };
}

/** A pool of connections to the database of a story. */
export function connectPostgres({ databaseUrl, atEnd }: StoryGround) {
  const pool = new Pool({ connectionString: databaseUrl });
  pool.on('error', () => {});
  let isOpen = true;
  const cut = async () => {
    if (isOpen) await endPool(pool);
    isOpen = false;
  };
  atEnd(cut);
  return { pool, cut };
}

/** Opens stores of keys in the Redis of a story. 0.1.0 has none. */
export function keysInRedis(ground: StoryGround): OpenStore {
  return async (version) => {
    const { client, cut } = await connectRedis(ground);
    const { createRedisKeyValueStore } = await entryOf(version, 'index');
    return { store: createRedisKeyValueStore(client), cut };
  };
}

/** The same in its database. */
export function keysInPostgres(ground: StoryGround): OpenStore {
  return async (version) => {
    const { pool, cut } = connectPostgres(ground);
    const { createPostgresKeyValueStore } = await entryOf(version, 'index');
    const store = createPostgresKeyValueStore(pool);
    await store.migrate();
    return { store, cut };
  };
}
