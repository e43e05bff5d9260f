import { checkOptions, type OptionCheck } from '../../foundation/options.js';
import { type DedupeConnection, listenForConnectionErrors } from './connection-errors.js';
import type { DedupeClaim, DedupeStore } from './dedupe-store.js';

/**
 * The part of a pool of the `pg` package that a dedupe store uses. A `Client` has it, too.
 */
export interface PostgresPool extends DedupeConnection {
  /** Runs a statement. */
  query(
    text: string,
    values?: unknown[],
  ): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
}

/**
 * Options of `createPostgresDedupeStore`.
 */
export interface PostgresDedupeStoreOptions {
  /**
   * The name of the table, with or without a schema: lowercase letters, digits and underscores. Receivers of different
   * subscriptions need different tables, because both get the same bytes and each must handle them. Default: `webhook_deliveries`.
   */
  readonly table?: string | undefined;
}

/**
 * A dedupe store in PostgreSQL, with methods for its table.
 */
export interface PostgresDedupeStore extends DedupeStore {
  /** The SQL that `migrate` runs. Use it if you manage your migrations yourself. */
  readonly schema: string;
  /**
   * Creates the table and its index if they do not exist. Several processes may call it at the same time. If both exist, it needs no
   * right to create.
   */
  migrate(): Promise<void>;
  /** Deletes expired rows, and returns their number. Expired rows only take space. Call it from time to time. */
  prune(): Promise<number>;
}

/**
 * Creates a dedupe store in PostgreSQL 9.5 or newer, for receivers that run in several processes. It needs a pool of the `pg` package,
 * which you close. Each operation is one statement, so it is atomic and needs no transaction, at any isolation level. Keys expire by the database's clock. Pass
 * a pool and not a client with an open transaction, because an uncommitted claim makes the others wait. Call `migrate` once before the
 * first delivery, or run `schema` yourself.
 *
 * The store listens to the pool's `error` event, so that a database restart does not end the process. It warns of the first error if
 * there is no other listener.
 *
 * @throws ConfigurationError if `table` is not a plain lowercase name. Each promise rejects with the error of the pool.
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
  checkOptions('createPostgresDedupeStore', options, { table: aTableName });
  const statements = statementsOf(options.table ?? 'webhook_deliveries');
  listenForConnectionErrors(pool, 'PostgreSQL pool');
  /**
   * Runs a statement, again if it meets another one on the same row. That fails only where transactions are serializable or repeatable
   * reads by default. PostgreSQL has undone it then.
   */
  const query: PostgresPool['query'] = async (...statement) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await pool.query(...statement);
      } catch (error) {
        if (Reflect.get(Object(error), 'code') !== serializationFailure || tries === mostTries) throw error;
      }
    }
  };
  return {
    schema: statements.schema,
    async migrate() {
      // Not left to IF NOT EXISTS, which needs the right to create even if there is nothing to create.
      const { rows } = await query(statements.isMigrated);
      if (rows[0]?.is_migrated !== true) await query(statements.migrate);
    },
    async claim(key, { holder, lease }) {
      const { rows } = await query(statements.claim, [key, holder, lease]);
      const claim = claims.find((possible) => possible === rows[0]?.claim);
      if (claim !== undefined) return claim;
      throw new TypeError('The dedupe store needs a pool that returns rows as objects, as pools of pg do.');
    },
    async renew(key, { holder, lease }) {
      const { rows } = await query(statements.renew, [key, holder, lease]);
      return rows.length > 0;
    },
    async commit(key, { ttl }) {
      await query(statements.commit, [key, ttl]);
    },
    async release(key, { holder }) {
      await query(statements.release, [key, holder]);
    },
    async prune() {
      const { rows } = await query(statements.prune);
      return Number(rows[0]?.pruned);
    },
  };
}

/** How often a statement is sent that meets another one. Each time at least one of them succeeds. */
const mostTries = 50;

const serializationFailure = '40001';

const claims: readonly DedupeClaim[] = ['claimed', 'in_progress', 'done'];

/** A name that needs no escaping. The name of the index contains it, and has at most PostgreSQL's 63 characters. */
const aTableName: OptionCheck = [
  (value) => typeof value === 'string' && /^(?:[a-z_][a-z0-9_]{0,47}\.)?[a-z_][a-z0-9_]{0,47}$/.test(value),
  'a name of lowercase letters, digits and underscores, 48 at the most, with a schema before it or without',
];

/** The statements of a dedupe store on one table. A row with a holder is a claim. A row without a holder is done. */
function statementsOf(name: string) {
  const table = `"${name.replace('.', '"."')}"`;
  const tableName = name.slice(name.indexOf('.') + 1);
  const schema = `CREATE TABLE IF NOT EXISTS ${table} (
  key text PRIMARY KEY,
  holder text,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS "${tableName}_expires_at" ON ${table} (expires_at);`;
  return {
    schema,
    isMigrated: `
SELECT to_regclass('${table}') IS NOT NULL AND to_regclass('${table.slice(0, -1)}_expires_at"') IS NOT NULL AS is_migrated`,
    // Take a lock, because one of two concurrent creations fails despite IF NOT EXISTS. All of this is one transaction.
    migrate: `SELECT pg_advisory_xact_lock(hashtext('${name}'));\n${schema}`,
    // The second read sees the table as it was when the statement began. A key that another receiver claimed since then counts
    // as in progress, so that the service sends the delivery again. A client may have sent the same statement twice: a row
    // with this holder is the caller's own claim.
    claim: `
WITH claimed AS (
  INSERT INTO ${table} AS found (key, holder, expires_at) VALUES ($1, $2, ${after('$3')})
  ON CONFLICT (key) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
  WHERE found.expires_at <= now()
  RETURNING key
)
SELECT CASE
  WHEN EXISTS (SELECT FROM claimed) THEN 'claimed'
  WHEN EXISTS (SELECT FROM ${table} WHERE key = $1 AND holder IS NULL AND expires_at > now()) THEN 'done'
  WHEN EXISTS (SELECT FROM ${table} WHERE key = $1 AND holder = $2 AND expires_at > now()) THEN 'claimed'
  ELSE 'in_progress'
END AS claim`,
    renew: `
UPDATE ${table} SET expires_at = ${after('$3')} WHERE key = $1 AND holder = $2 AND expires_at > now()
RETURNING key`,
    commit: `
INSERT INTO ${table} (key, holder, expires_at) VALUES ($1, NULL, ${after('$2')})
ON CONFLICT (key) DO UPDATE SET holder = NULL, expires_at = excluded.expires_at`,
    release: `DELETE FROM ${table} WHERE key = $1 AND holder = $2`,
    prune: `
WITH pruned AS (DELETE FROM ${table} WHERE expires_at <= now() RETURNING key)
SELECT count(*) AS pruned FROM pruned`,
  };
}

function after(parameter: string): string {
  return `now() + ${parameter}::float8 * interval '1 millisecond'`;
}
