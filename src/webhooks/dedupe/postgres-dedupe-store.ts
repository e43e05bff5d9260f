import type { Clock } from '../../foundation/clock.js';
import { type DedupeConnection, listenForConnectionErrors } from './connection-errors.js';
import type { DedupeClaim, DedupeStore } from './dedupe-store.js';
import { postgresStatements } from './postgres-statements.js';

/**
 * What a dedupe store asks of a pool of the `pg` package. A `Client` has it too.
 */
export interface PostgresPool extends DedupeConnection {
  /** Runs a statement. */
  query(
    text: string,
    values?: unknown[],
  ): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
}

/**
 * Where a store keeps its rows in PostgreSQL, and by whose time they end.
 */
export interface PostgresDedupeStoreOptions {
  /**
   * The table, with its schema or without: lowercase letters, digits and underscores. Receivers of different
   * subscriptions need different ones: both get the same bytes, and each is to handle them. Default:
   * `webhook_deliveries`.
   */
  readonly table?: string | undefined;
  /** Where the time comes from. Default: the database's clock, which is one for all receivers; set it in tests. */
  readonly clock?: Pick<Clock, 'now'> | undefined;
}

/**
 * A dedupe store in PostgreSQL, and what its table needs.
 */
export interface PostgresDedupeStore extends DedupeStore {
  /** What `migrate` runs, for those who keep their migrations themselves. */
  readonly schema: string;
  /** Makes the table and its index unless they are there. Several processes may call it at once. */
  migrate(): Promise<void>;
  /** Deletes the rows that are over, and says how many. They do no harm but take room: run it now and then. */
  prune(): Promise<number>;
}

/**
 * A dedupe store in PostgreSQL 9.5 or newer, for receivers that run in several processes. It takes a pool of the `pg`
 * package, which you close. Each step is one statement, so it is atomic and needs no transaction; leases and memories
 * end by the database's clock. Give it a pool and not a client in the midst of a transaction, since a claim that is
 * not committed makes the others wait. Call `migrate` once before the first delivery, or run `schema` yourself.
 *
 * The store listens to the pool's `error`, so a database that restarts does not end the process. It warns of the first
 * one if nobody else listens.
 *
 * @throws TypeError for a `table` that is not a plain lowercase name. Each promise rejects with what the pool rejects
 * with.
 *
 * @example
 * ```ts
 * import { createPostgresDedupeStore, createWebhookReceiver } from 'messaging-automation/webhooks';
 * import { Pool } from 'pg';
 *
 * const pool = new Pool({ connectionString: 'postgres://127.0.0.1/orders' });
 * const dedupe = createPostgresDedupeStore(pool, { table: 'order_webhooks' }); // first: await dedupe.migrate()
 * const receiver = createWebhookReceiver({ secret: 'whsec_example', dedupe });
 * ```
 */
export function createPostgresDedupeStore(
  pool: PostgresPool,
  options: PostgresDedupeStoreOptions = {},
): PostgresDedupeStore {
  const { table = 'webhook_deliveries', clock } = options;
  const statements = postgresStatements(table);
  const now = () => clock?.now() ?? null;
  listenForConnectionErrors(pool, 'PostgreSQL pool');
  return {
    schema: statements.schema,
    async migrate() {
      await pool.query(statements.migrate);
    },
    async claim(key, { holder, lease }) {
      const { rows } = await pool.query(statements.claim, [now(), key, holder, lease]);
      const claim = rows[0]?.claim;
      if (isClaim(claim)) return claim;
      throw new TypeError('The dedupe store needs a pool that gives rows as objects, as one of pg does.');
    },
    async renew(key, { holder, lease }) {
      const { rows } = await pool.query(statements.renew, [now(), key, holder, lease]);
      return rows.length > 0;
    },
    async commit(key, { ttl }) {
      await pool.query(statements.commit, [now(), key, ttl]);
    },
    async release(key, { holder }) {
      await pool.query(statements.release, [key, holder]);
    },
    async prune() {
      const { rows } = await pool.query(statements.prune, [now()]);
      return Number(rows[0]?.pruned);
    },
  };
}

function isClaim(value: unknown): value is DedupeClaim {
  return value === 'claimed' || value === 'in_progress' || value === 'done';
}
