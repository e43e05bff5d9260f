import type { Duration } from '../server/time/duration.js';

/**
 * A connection pool of the package `pg`, as far as the store uses it.
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
export type PostgresPool = {
  /** Returns a connection. The store releases it after use. */
  connect(): Promise<PostgresClient>;
  /** Calls the listener when an idle connection breaks. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Calls the listener for each new connection. */
  on(event: 'connect', listener: (client: PostgresClient) => void): unknown;
  /** Closes all connections. The store only calls it on a pool that it created. */
  end(): Promise<void>;
};

/** A connection of the package `pg`, as far as the store uses it. */
export type PostgresClient = {
  /** Runs one statement. A connection prepares a statement with a `name` only once. */
  query(query: {
    readonly text: string;
    readonly values?: unknown[];
    readonly name?: string;
  }): Promise<{ readonly rows: readonly unknown[]; readonly rowCount: number | null }>;
  /** Calls the listener for each notification of the database. */
  on(event: 'notification', listener: (message: { readonly payload?: string | undefined }) => void): unknown;
  /** Calls the listener when the connection breaks. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Returns the connection to the pool, or closes it if `error` is set. */
  release(error?: Error | boolean): void;
};

/**
 * Options of `postgresStore`.
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
  /** The URL of the database, such as `postgres://user:password@host/database`. Required, unless you pass `pool`. */
  readonly connectionString?: string | undefined;
  /** A `pg` pool. The store does not end it. Required, unless you pass `connectionString`. */
  readonly pool?: PostgresPool | undefined;
  /** The database schema of the tables. A second one with the suffix `_jobs` has the jobs. Default: `messaging_automation`. */
  readonly schema?: string | undefined;
  /**
   * The largest number of connections, not counting the two that listen for notifications. One workspace uses at most half of
   * them at once. Where PostgreSQL gives fewer, calls wait for one for up to 5 seconds. Default: 10. Minimum: 1.
   */
  readonly poolSize?: number | undefined;
  /**
   * How long a replica's claim on work is valid after its last renewal. After that, other replicas take over the work of a
   * replica that stopped. Default: 10 seconds. Minimum: 100 milliseconds.
   */
  readonly lease?: Duration | undefined;
  /** The name of this replica, in logs. Replicas can have the same name. Default: the host name, the process id and random digits. */
  readonly replica?: string | undefined;
  /** How long the store keeps finished records. Default: the default of each field. */
  readonly retention?: PostgresRetention | undefined;
}

/**
 * How long the store keeps finished records. The time counts from the creation of a record, by the database's clock. The store
 * never deletes pending work and contacts.
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
  /** Journal entries. The store keeps at most 10,000 to 11,000 for each workspace. Default: 7 days. */
  readonly journal?: Duration | undefined;
  /** Deliveries that were delivered, failed or cancelled. Default: 30 days. */
  readonly deliveries?: Duration | undefined;
  /** Sent messages. Default: 90 days. */
  readonly sends?: Duration | undefined;
  /** Processed events. Segments count only the events that are kept. Default: 90 days. */
  readonly events?: Duration | undefined;
  /** Ended journey runs. Default: 90 days. */
  readonly journeyRuns?: Duration | undefined;
}
