import type { Duration } from '../server/time/duration.js';

/**
 * The part of a `pg` pool that the store uses.
 *
 * @example
 * ```ts
 * import { Pool } from 'pg';
 * import { type PostgresPool, postgresStore } from 'messaging-automation/postgres';
 *
 * const pool: PostgresPool = new Pool({ connectionString: process.env.DATABASE_URL });
 * const store = postgresStore({ pool });
 * ```
 */
export interface PostgresPool {
  /** Gives a connection, which the store releases. */
  connect(): Promise<PostgresClient>;
  /** Tells of a lost connection that nobody uses. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Tells of each new connection. */
  on(event: 'connect', listener: (client: PostgresClient) => void): unknown;
  /** Closes all connections. The store ends only a pool of its own. */
  end(): Promise<void>;
}

/**
 * The part of a client of a `pg` pool that the store uses.
 *
 * @example
 * ```ts
 * import type { PostgresClient } from 'messaging-automation/postgres';
 *
 * const versionOf = async (client: PostgresClient) => (await client.query({ text: 'select version()' })).rows[0];
 * ```
 */
export interface PostgresClient {
  /** Runs one statement. A statement with a name is prepared once for the connection. */
  query(query: {
    readonly text: string;
    readonly values?: unknown[];
    readonly name?: string;
  }): Promise<{ readonly rows: readonly unknown[]; readonly rowCount: number | null }>;
  /** Tells of what another connection notifies. */
  on(event: 'notification', listener: (message: { readonly payload?: string | undefined }) => void): unknown;
  /** Tells that the connection is lost. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Gives the connection back to the pool, or closes it if it is broken. */
  release(error?: Error | boolean): void;
}

/**
 * The options of a store in PostgreSQL.
 *
 * @example
 * ```ts
 * import { type PostgresStoreOptions, postgresStore } from 'messaging-automation/postgres';
 *
 * const options: PostgresStoreOptions = { connectionString: 'postgres://localhost/messaging', lease: '5s', poolSize: 20 };
 * const store = postgresStore(options);
 * ```
 */
export interface PostgresStoreOptions {
  /** The URL of the database, such as `postgres://user:password@host/database`. Give this or `pool`. */
  readonly connectionString?: string | undefined;
  /** A `pg` pool. The store does not end it. Give this or `connectionString`. */
  readonly pool?: PostgresPool | undefined;
  /** The schema of the tables. Default: `messaging_automation`. Its jobs are in a second one, which ends in `_jobs`. */
  readonly schema?: string | undefined;
  /** How many connections the store opens at most, without those that listen. Default: 10. */
  readonly poolSize?: number | undefined;
  /** How long a claim holds that its replica does not renew. Default: `10s`. */
  readonly lease?: Duration | undefined;
  /** The name of this replica, in logs and claims. Default: the host's name, the process's id and random digits. */
  readonly replica?: string | undefined;
  /** How long what is over is kept. */
  readonly retention?: PostgresRetention | undefined;
}

/**
 * How long the store keeps what is over. What waits is never deleted, and contacts and events never are, because segments count
 * them. The time counts from when the record was made, by the machine's clock.
 *
 * @example
 * ```ts
 * import { type PostgresRetention, postgresStore } from 'messaging-automation/postgres';
 *
 * const retention: PostgresRetention = { deliveries: '7d', journal: '1d' };
 * const store = postgresStore({ connectionString: 'postgres://localhost/messaging', retention });
 * ```
 */
export interface PostgresRetention {
  /** The entries of the journal. The store keeps 10,000 to 11,000 for each workspace at most. Default: `7d`. */
  readonly journal?: Duration | undefined;
  /** Deliveries that were delivered, failed or cancelled. Default: `30d`. */
  readonly deliveries?: Duration | undefined;
  /** Messages that were sent. Default: `90d`. */
  readonly sends?: Duration | undefined;
  /** Journey runs that have ended. Default: `90d`. */
  readonly journeyRuns?: Duration | undefined;
}
