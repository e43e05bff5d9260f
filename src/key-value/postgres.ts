import {
  ConfigurationError,
  checkArgument,
  checkOptions,
  hasMethods,
  type OptionCheck,
} from '../foundation/options.js';
import { listenForConnectionErrors, type StoreConnection } from './connection.js';
import type { KeyValueEntry, KeyValueService } from './key-value-service.js';
import { hasProperties, type OtherClients, refuseOtherClients } from './other-clients.js';
import { timeToLive } from './records.js';

/**
 * The part of a pool of the `pg` package that a store uses. A `Client` has it, too.
 */
type PostgresPool = StoreConnection & {
  /** Runs a statement. */
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly Row[] }>;
};

/** A row of a result: its values by the names of their columns. */
type Row = Readonly<Record<string, unknown>>;

/**
 * Options of `createPostgresKeyValueStore`.
 */
export type PostgresKeyValueStoreOptions = {
  /**
   * The name of the table, with or without a schema: lowercase letters, digits and underscores. Workspaces that share a database need
   * different tables. Default: `messaging_automation_keys`.
   */
  readonly table?: string | undefined;
};

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
 * `list` reads the whole table for each thousand entries that it finds.
 *
 * @throws ConfigurationError if `table` is not a plain lowercase name. Each promise rejects with the error of the pool, or with a
 * `ConfigurationError` if PostgreSQL refuses the operation for a reason that no retry can fix, such as a missing table: its `cause` is the
 * error. A time to live of less than one millisecond is a `TypeError`. The longest is a century.
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
  refuseOtherClients('createPostgresKeyValueStore', pool, otherClients, 'a pool of the package pg');
  checkArgument('createPostgresKeyValueStore', 'pool', pool, aPool);
  checkOptions('createPostgresKeyValueStore', options, { table: aTableName });
  const { table: name = 'messaging_automation_keys' } = options;
  listenForConnectionErrors(pool, 'PostgreSQL pool of a store');
  const sql = statementsFor(name);
  const query = (statement: string, values?: unknown[]) => rowsOf(pool, name, statement, values);
  const isDone = async (statement: string, values: unknown[]) => (await query(statement, values)).length > 0;
  return {
    async get(key) {
      const [row] = await query(sql.get, [key]);
      return row && textIn(row, 'value');
    },
    set: async (key, value, ttl) => query(sql.set, [key, value, timeToLive(ttl)]),
    setIfAbsent: async (key, value, ttl) => isDone(sql.setIfAbsent, [key, value, timeToLive(ttl)]),
    replaceIfEqual: async (key, expected, value, ttl) =>
      isDone(sql.replaceIfEqual, [key, expected, value, timeToLive(ttl)]),
    deleteIfEqual: (key, expected) => isDone(sql.deleteIfEqual, [key, expected]),
    async *list(keyPrefix, valuePrefix) {
      let page: readonly KeyValueEntry[] = [];
      do {
        const rows = await query(sql.listAfter, [page.at(-1)?.key ?? null, keyPrefix, valuePrefix]);
        page = rows.map((row) => ({ key: textIn(row, 'key'), value: textIn(row, 'value') }));
        yield* page;
      } while (page.length === pageSize);
    },
    schema: sql.schema,
    async migrate(): Promise<void> {
      const [found] = await query(sql.isMigrated);
      if (found?.is_migrated !== true) await query(sql.migrate);
    },
    async prune(): Promise<number> {
      const [counted] = await query(sql.prune);
      return Number(counted?.pruned);
    },
  };
}

/** How many entries `list` reads at once. */
const pageSize = 1_000;

/** All statements of a store. */
function statementsFor(name: string) {
  const table = `"${name.replace('.', '"."')}"`;
  const index = `${name.slice(name.indexOf('.') + 1)}_expires_at`;
  const live = 'expires_at > now()';
  const insert = `INSERT INTO ${table} AS found (key, value, expires_at) VALUES ($1, $2, ${after('$3')})
ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`;
  const schema = `CREATE TABLE IF NOT EXISTS ${table} (
  key text PRIMARY KEY,
  value text NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS "${index}" ON ${table} (expires_at);`;
  return {
    get: `SELECT value FROM ${table} WHERE key = $1 AND ${live}`,
    set: insert,
    setIfAbsent: `${insert} WHERE found.expires_at <= now() RETURNING key`,
    replaceIfEqual: `UPDATE ${table} SET value = $3, expires_at = ${after('$4')}
WHERE key = $1 AND value = $2 AND ${live} RETURNING key`,
    deleteIfEqual: `DELETE FROM ${table} WHERE key = $1 AND value = $2 AND ${live} RETURNING key`,
    listAfter: `SELECT key, value FROM ${table}
WHERE ($1::text IS NULL OR key > $1) AND left(key, length($2)) = $2 AND left(value, length($3)) = $3 AND ${live}
ORDER BY key LIMIT ${pageSize}`,
    prune: `WITH pruned AS (DELETE FROM ${table} WHERE expires_at <= now() RETURNING key)
SELECT count(*) AS pruned FROM pruned`,
    schema,
    // Asked first, because IF NOT EXISTS needs the right to create even if there is nothing to create.
    isMigrated: `SELECT to_regclass('${table}') IS NOT NULL AND to_regclass('${table.slice(0, -1)}_expires_at"') IS NOT NULL AS is_migrated`,
    // One transaction with a lock, because one of two concurrent creations fails despite IF NOT EXISTS.
    migrate: `SELECT pg_advisory_xact_lock(hashtext('${name}'));\n${schema}`,
  };
}

/** SQL of the moment that is so many milliseconds from now. */
function after(parameter: string): string {
  return `now() + ${parameter}::float8 * interval '1 millisecond'`;
}

/**
 * Runs a statement, again if it meets another one on the same row. That fails only where transactions are serializable or repeatable
 * reads by default. PostgreSQL has undone it then.
 */
async function rowsOf(
  pool: PostgresPool,
  table: string,
  statement: string,
  values?: unknown[],
): Promise<readonly Row[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      const { rows } = await pool.query(statement, values);
      return rows;
    } catch (error) {
      if (Reflect.get(Object(error), 'code') === serializationFailure && tries < mostTries) continue;
      throw (await refusalOf(error, table)) ?? error;
    }
  }
}

const aPool: OptionCheck = [hasMethods('query'), 'a pool of the package pg'];

/** They have no `query` that takes a text and values and resolves to an object with `rows`. */
const otherClients: OtherClients = [
  [hasMethods('oneOrNone'), 'a database of pg-promise, whose pool is its $pool', 'client.$pool'],
  [
    hasMethods('unsafe', 'begin'),
    'a client of the package postgres',
    '{ query: async (text, values) => ({ rows: await client.unsafe(text, values) }) }',
  ],
  [
    hasMethods('query', 'transaction', 'unsafe'),
    'an HTTP client of @neondatabase/serverless, which has a Pool, too',
    '{ query: (text, values) => client.query(text, values, { fullResults: true }) } (run the schema of the store yourself)',
  ],
  [
    hasMethods('$queryRawUnsafe'),
    'a client of Prisma',
    '{ query: async (text, values = []) => ({ rows: await client.$queryRawUnsafe(text, ...values) }) } (run the schema of the store ' +
      'yourself)',
  ],
  [hasProperties('$client'), 'a database of Drizzle, whose pool is its $client', 'client.$client'],
  [hasMethods('createQueryRunner'), 'a data source of TypeORM'],
  [hasMethods('query', 'authenticate'), 'a client of Sequelize'],
  [hasMethods('oneFirst'), 'a pool of Slonik'],
  [hasMethods('executeQuery'), 'a database of Kysely'],
  [hasMethods('query', 'querySync'), 'a client of pg-native'],
  [hasMethods('query', 'escape'), 'a client of a package for MySQL'],
];

/** How often a statement is sent that meets another one. Each time at least one of them succeeds. */
const mostTries = 50;

const serializationFailure = '40001';

/** A name that needs no escaping. The name of the index contains it, and has at most PostgreSQL's 63 characters. */
const aTableName: OptionCheck = [
  (value) => typeof value === 'string' && /^(?:[a-z_][a-z0-9_]{0,47}\.)?[a-z_][a-z0-9_]{0,47}$/.test(value),
  '`name` or `schema.name`: lowercase letters, digits and underscores, up to 48 characters each',
];

/** The text in a column of a row. */
function textIn(row: Row, column: string): string {
  const text = row[column];
  if (typeof text === 'string') return text;
  throw new TypeError('The store needs a pool that returns rows as objects, as pools of pg do.');
}

/** The error of a cause that no retry can fix. Not among them is a former primary after a failover, and what is busy or out of reach. */
async function refusalOf(error: unknown, table: string): Promise<ConfigurationError | undefined> {
  // Loaded on demand, because most clients have no such store.
  const { explainConnection } = await import('../foundation/connection-causes.js');
  const tables = {
    name: `the table "${table}" of the store`,
    make: 'Call migrate() of the store once in a schema that exists, or run its schema. If the table is of another program, name another one.',
    grant:
      'Grant it SELECT, INSERT, UPDATE and DELETE on it, and USAGE of its schema. migrate() needs CREATE on the schema if the table does not exist.',
  };
  const {
    kind,
    sentences,
    inFull = sentences,
  } = explainConnection(error, { url: 'postgres://', env: {}, tables });
  return kind === 'refused' ? new ConfigurationError(inFull, { cause: error }) : undefined;
}
