import { checkOptions, type OptionCheck } from '../foundation/options.js';
import { listenForConnectionErrors, type StoreConnection } from './connection.js';
import type { KeyValueService } from './key-value-service.js';

/**
 * The part of a pool of the `pg` package that a store uses. A `Client` has it, too.
 */
export interface PostgresPool extends StoreConnection {
  /** Runs a statement. */
  query(
    text: string,
    values?: unknown[],
  ): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
}

/**
 * Options of `createPostgresKeyValueStore`.
 */
export interface PostgresKeyValueStoreOptions {
  /**
   * The name of the table, with or without a schema: lowercase letters, digits and underscores. Workspaces that share a database need
   * different tables. Default: `messaging_automation_keys`.
   */
  readonly table?: string | undefined;
}

/**
 * The table of a store in PostgreSQL.
 */
export interface PostgresTable {
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
 * Creates a store in PostgreSQL 9.5 or newer, which any number of processes can share: for the client's option `idempotencyStore`, for
 * `createOptOutList`, and for a receiver by `createDedupeStore`. It needs a pool of the `pg` package, which you close. Pass a pool and
 * not a client with an open transaction, because an uncommitted row makes the others wait. Each operation is one statement, so it is
 * atomic and needs no transaction, at any isolation level. Keys expire by the database's clock. Call `migrate` once before the first
 * use, or run `schema` yourself.
 *
 * The store listens to the pool's `error` event, so that a database restart does not end the process. It warns of the first error if
 * there is no other listener.
 *
 * @throws ConfigurationError if `table` is not a plain lowercase name. Each promise rejects with the error of the pool.
 *
 * @example
 * ```ts
 * import { createPostgresKeyValueStore, MessagingAutomation } from 'messaging-automation';
 * import { createDedupeStore, createWebhookReceiver } from 'messaging-automation/webhooks';
 * import { Pool } from 'pg';
 *
 * const pool = new Pool({ connectionString: 'postgres://127.0.0.1/orders' });
 * const store = createPostgresKeyValueStore(pool); // first: await store.migrate()
 * const messaging = new MessagingAutomation({ idempotencyStore: store });
 * const receiver = createWebhookReceiver({ secret: 'whsec_example', dedupe: createDedupeStore(store) });
 * ```
 */
export function createPostgresKeyValueStore(
  pool: PostgresPool,
  options: PostgresKeyValueStoreOptions = {},
): KeyValueService & PostgresTable {
  checkOptions('createPostgresKeyValueStore', options, { table: aTableName });
  const { table: name = 'messaging_automation_keys' } = options;
  listenForConnectionErrors(pool, 'PostgreSQL pool of a store');
  const table = `"${name.replace('.', '"."')}"`;
  const tableName = name.slice(name.indexOf('.') + 1);
  const schema = `CREATE TABLE IF NOT EXISTS ${table} (
  key text PRIMARY KEY,
  value text NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS "${tableName}_expires_at" ON ${table} (expires_at);`;
  const live = 'expires_at > now()';
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
  const isDone = async (statement: string, values: unknown[]) =>
    (await query(`${statement} RETURNING key`, values)).rows.length > 0;
  return {
    async get(key) {
      const { rows } = await query(`SELECT value FROM ${table} WHERE key = $1 AND ${live}`, [key]);
      const [row] = rows;
      if (row !== undefined && !('value' in row))
        throw new TypeError('The store needs a pool that returns rows as objects, as pools of pg do.');
      return typeof row?.value === 'string' ? row.value : undefined;
    },
    set: (key, value, ttl) =>
      query(
        `INSERT INTO ${table} (key, value, expires_at) VALUES ($1, $2, ${after('$3')})
ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`,
        [key, value, ttl],
      ),
    setIfAbsent: (key, value, ttl) =>
      isDone(
        `INSERT INTO ${table} AS found (key, value, expires_at) VALUES ($1, $2, ${after('$3')})
ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at
WHERE found.expires_at <= now()`,
        [key, value, ttl],
      ),
    replaceIfEqual: (key, expected, value, ttl) =>
      isDone(
        `UPDATE ${table} SET value = $3, expires_at = ${after('$4')} WHERE key = $1 AND value = $2 AND ${live}`,
        [key, expected, value, ttl],
      ),
    deleteIfEqual: (key, expected) =>
      isDone(`DELETE FROM ${table} WHERE key = $1 AND value = $2 AND ${live}`, [key, expected]),
    schema,
    async migrate(): Promise<void> {
      // Not left to IF NOT EXISTS, which needs the right to create even if there is nothing to create.
      const { rows } = await query(`
SELECT to_regclass('${table}') IS NOT NULL AND to_regclass('${table.slice(0, -1)}_expires_at"') IS NOT NULL AS is_migrated`);
      if (rows[0]?.is_migrated === true) return;
      // Take a lock, because one of two concurrent creations fails despite IF NOT EXISTS. All of this is one transaction.
      await query(`SELECT pg_advisory_xact_lock(hashtext('${name}'));\n${schema}`);
    },
    async prune(): Promise<number> {
      const { rows } = await query(`
WITH pruned AS (DELETE FROM ${table} WHERE expires_at <= now() RETURNING key)
SELECT count(*) AS pruned FROM pruned`);
      return Number(rows[0]?.pruned);
    },
  };
}

/** How often a statement is sent that meets another one. Each time at least one of them succeeds. */
const mostTries = 50;

const serializationFailure = '40001';

/** A name that needs no escaping. The name of the index contains it, and has at most PostgreSQL's 63 characters. */
const aTableName: OptionCheck = [
  (value) => typeof value === 'string' && /^(?:[a-z_][a-z0-9_]{0,47}\.)?[a-z_][a-z0-9_]{0,47}$/.test(value),
  '`name` or `schema.name`: lowercase letters, digits and underscores, up to 48 characters each',
];

/** SQL of the moment that is so many milliseconds from now. */
function after(parameter: string): string {
  return `now() + ${parameter}::float8 * interval '1 millisecond'`;
}
