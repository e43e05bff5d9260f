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
 * Options of `createPostgresIdempotencyStore`.
 */
export interface PostgresIdempotencyStoreOptions {
  /**
   * The name of the table, with or without a schema: lowercase letters, digits and underscores. Workspaces that share a database need
   * different tables. Default: `idempotency_keys`.
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
 * Creates a store of idempotency keys in PostgreSQL 9.5 or newer, for the client's option `idempotencyStore`. Any number of processes can
 * share it. It needs a pool of the `pg` package, which you close. Each operation is one statement, so it is atomic and needs no
 * transaction, at any isolation level. Keys expire by the database's clock. Call `migrate` once before the first send, or run `schema`
 * yourself.
 *
 * The store listens to the pool's `error` event, so that a database restart does not end the process. It warns of the first error if
 * there is no other listener.
 *
 * @throws ConfigurationError if `table` is not a plain lowercase name.
 *
 * @example
 * ```ts
 * import { createPostgresIdempotencyStore, MessagingAutomation } from 'messaging-automation';
 * import { Pool } from 'pg';
 *
 * const pool = new Pool({ connectionString: 'postgres://127.0.0.1/orders' });
 * const idempotencyStore = createPostgresIdempotencyStore(pool); // first: await idempotencyStore.migrate()
 * const messaging = new MessagingAutomation({ idempotencyStore });
 * ```
 */
export function createPostgresIdempotencyStore(
  pool: PostgresPool,
  options: PostgresIdempotencyStoreOptions = {},
): KeyValueService & PostgresTable {
  checkOptions('createPostgresIdempotencyStore', options, { table: aTableName });
  const consequence = 'Sends with an idempotency key fail until it is back.';
  const { query, table, ...rest } = postgresTable(
    pool,
    options.table ?? 'idempotency_keys',
    'value',
    consequence,
  );
  const live = 'expires_at > now()';
  const isDone = async (statement: string, values: unknown[]) =>
    (await query(statement, values)).rows.length > 0;
  return {
    ...rest,
    async get(key) {
      const { rows } = await query(`SELECT value FROM ${table} WHERE key = $1 AND ${live}`, [key]);
      const value = rows[0]?.value;
      return typeof value === 'string' ? value : undefined;
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
ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at WHERE found.expires_at <= now()
RETURNING key`,
        [key, value, ttl],
      ),
    replaceIfEqual: (key, expected, value, ttl) =>
      isDone(
        `UPDATE ${table} SET value = $3, expires_at = ${after('$4')} WHERE key = $1 AND value = $2 AND ${live}
RETURNING key`,
        [key, expected, value, ttl],
      ),
    deleteIfEqual: (key, expected) =>
      isDone(`DELETE FROM ${table} WHERE key = $1 AND value = $2 AND ${live} RETURNING key`, [key, expected]),
  };
}

/**
 * A table of keys that expire, with one column of text beside them, which may be null.
 *
 * @param consequence - What happens while the connection is lost, for a warning.
 */
export function postgresTable(pool: PostgresPool, name: string, column: string, consequence: string) {
  listenForConnectionErrors(pool, 'PostgreSQL pool of a store', consequence);
  const table = `"${name.replace('.', '"."')}"`;
  const tableName = name.slice(name.indexOf('.') + 1);
  const schema = `CREATE TABLE IF NOT EXISTS ${table} (
  key text PRIMARY KEY,
  ${column} text,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS "${tableName}_expires_at" ON ${table} (expires_at);`;
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
    /** The quoted name. */
    table,
    query,
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
export const aTableName: OptionCheck = [
  (value) => typeof value === 'string' && /^(?:[a-z_][a-z0-9_]{0,47}\.)?[a-z_][a-z0-9_]{0,47}$/.test(value),
  'a name of lowercase letters, digits and underscores, 48 at the most, with a schema before it or without',
];

/** SQL of the moment that is so many milliseconds from now. */
export function after(parameter: string): string {
  return `now() + ${parameter}::float8 * interval '1 millisecond'`;
}
