import {
  createPostgresKeyValueStore,
  createRedisKeyValueStore,
  type KeyValueService,
} from 'messaging-automation';
import { Pool } from 'pg';
import { createClient } from 'redis';

/** Which store the processes share. */
export interface SharedStore {
  readonly kind: 'redis' | 'postgres';
  readonly url: string;
}

/** A connection to the store, whose server may be killed and started again. */
export interface StoreConnection {
  readonly store: KeyValueService;
  /** Makes the store ready for its first use. */
  prepare(): Promise<void>;
  /** Ends leases, as their time does. Default: all of them. */
  endLeases(leases?: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** @param isPatient - Whether commands wait for a server that is away. Otherwise they fail at once. */
export function connectTo({ kind, url }: SharedStore, isPatient = false): Promise<StoreConnection> {
  return kind === 'redis' ? connectToRedis(url, isPatient) : connectToPostgres(url);
}

async function connectToRedis(url: string, isPatient: boolean): Promise<StoreConnection> {
  const client = createClient({ url, disableOfflineQueue: !isPatient, socket: { reconnectStrategy: 20 } });
  client.on('error', () => {});
  await client.connect();
  const prefix = 'messaging-automation:';
  return {
    store: createRedisKeyValueStore(client, { prefix }),
    prepare: async () => {},
    async endLeases(leases) {
      const names = leases?.map((lease) => prefix + lease) ?? (await client.keys(`${prefix}lease:*`));
      if (names.length > 0) await client.del(names);
    },
    close: async () => client.destroy(),
  };
}

async function connectToPostgres(connectionString: string): Promise<StoreConnection> {
  const pool = new Pool({ connectionString, max: 8 });
  pool.on('error', () => {});
  const store = createPostgresKeyValueStore(pool);
  const isLease = "DELETE FROM messaging_automation_keys WHERE key LIKE 'lease:%'";
  return {
    store,
    prepare: () => store.migrate(),
    async endLeases(leases) {
      if (leases === undefined) await pool.query(isLease);
      else await pool.query(`${isLease} AND key = ANY($1)`, [leases]);
    },
    close: () => pool.end(),
  };
}
