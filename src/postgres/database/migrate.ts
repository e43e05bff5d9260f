import { ConfigurationError } from '../../foundation/options.js';
import { packageVersion } from '../../foundation/version.js';
import type { PostgresClient } from '../options.js';
import type { Database } from './connection.js';
import { isGivenUp } from './errors.js';
import { withFewestConnections } from './fewest-connections.js';
import { type Migration, migrations } from './migrations/migrations.js';
import { longestConnecting } from './own-pool.js';
import { readsOnly, refuseReadOnly } from './read-only.js';
import { booleanIn, numberIn, textIn } from './rows.js';
import { jobsSchemaOf, quoted, quotedText } from './text.js';

/** The oldest supported version of PostgreSQL. */
const oldestPostgres = 13;

/** How often a step is tried if deadlocks abort it. */
const mostTries = 10;

/** The number of the latest step that this version knows. */
export const schemaVersion = migrations.reduce((latest, { number }) => Math.max(latest, number), 0);

/**
 * Creates the schema, or migrates an older one. If several processes call it at the same time, one migrates and the others
 * wait.
 *
 * @param prepareJobs - Creates or migrates the schema of the jobs, which later steps use.
 * @param steps - Fewer steps, for the schema of an older version. Default: all.
 */
export async function migrate(
  database: Database,
  prepareJobs: () => Promise<void>,
  steps: readonly Migration[] = migrations,
): Promise<void> {
  await withFewestConnections(database, refusePooler);
  const client = await database.connect();
  try {
    await refuseUnusable(client, database);
    // A migration step, here or in another process, may take long, and has backslashes in its texts.
    await client.query({
      text: 'set statement_timeout = 0; set lock_timeout = 0; set standard_conforming_strings = on',
    });
    await client.query({
      text: 'select pg_advisory_lock(hashtextextended($1, 0))',
      values: [`messaging-automation:${database.schemaName}`],
    });
    await createSchemas(client, database);
    const applied = await findApplied(client, database.schema);
    await prepareJobs();
    for (const migration of steps) {
      if (!applied.has(migration.number)) await applyDespiteReplicas(client, database, migration);
    }
  } finally {
    // Closing the session also ends its lock, its timeout and a failed transaction.
    client.release(true);
  }
}

/** @throws ConfigurationError if two connections are not two sessions that last. */
async function refusePooler(one: PostgresClient, other: PostgresClient): Promise<void> {
  const sessions = new Map<PostgresClient, number>();
  let isSame = true;
  // A pooler takes the session that was used last, or first. Another program may take that one in between.
  for (const client of [one, one, other, other, one, other]) {
    const [row] = await read(client, 'select pg_catalog.pg_backend_pid() as session');
    const session = numberIn(row, 'session');
    isSame &&= (sessions.get(client) ?? session) === session;
    sessions.set(client, session);
  }
  if (isSame && sessions.get(one) !== sessions.get(other)) return;
  throw new ConfigurationError(
    'The store reaches PostgreSQL through a pooler in transaction or statement mode, such as PgBouncer with pool_mode = transaction, which gives its statements to changing sessions. The store listens and locks in its sessions. Connect to PostgreSQL directly, or to a pooler in session mode (PgBouncer: pool_mode = session).',
  );
}

/** @throws Error if the server is too old, ConfigurationError if the database or its connections have wrong settings. */
async function refuseUnusable(client: PostgresClient, { failures }: Database): Promise<void> {
  const [row] = await read(
    client,
    `
select
  pg_catalog.current_setting('server_version_num')::int as number,
  pg_catalog.current_setting('server_version') as version,
  pg_catalog.current_setting('server_encoding') as encoding,
  pg_catalog.current_setting('transaction_isolation') as isolation,
  (pg_catalog.current_schemas(true))[1] as first_schema, ${readsOnly}`,
  );
  refuseReadOnly(row, failures);
  if (Math.floor(numberIn(row, 'number') / 10_000) < oldestPostgres) {
    throw new Error(
      `The store needs PostgreSQL ${oldestPostgres} or later, but the database is PostgreSQL ${textIn(row, 'version')}. Upgrade the database.`,
    );
  }
  if (textIn(row, 'isolation') !== 'read committed') {
    throw new ConfigurationError(
      `The connections in the pool of the store have the isolation level ${textIn(row, 'isolation')}. Set default_transaction_isolation to 'read committed' for their role, or pass a connectionString in place of the pool.`,
    );
  }
  // A schema of temporary tables is never searched for functions.
  const first = textIn(row, 'first_schema');
  if (!/^pg_(catalog$|temp_)/.test(first)) {
    throw new ConfigurationError(
      `The connections in the pool of the store find functions in the schema ${first} before those of PostgreSQL. Take pg_catalog out of the search_path of their role, or pass a connectionString in place of the pool.`,
    );
  }
  const encoding = textIn(row, 'encoding');
  if (encoding === 'UTF8') return;
  throw new ConfigurationError(
    `The database of the store has the encoding ${encoding}, which cannot hold every character. Create a database with the encoding UTF8: create database <name> encoding 'UTF8' locale 'C' template template0.`,
  );
}

/** Creates both schemas, and the tables of the applied steps in them. Needs no right to create a schema that exists. */
async function createSchemas(client: PostgresClient, { schema, schemaName }: Database): Promise<void> {
  if (await isCreated(client, schemaName)) return;
  await client.query({ text: 'begin' });
  const jobsName = jobsSchemaOf(schemaName);
  for (const name of [schemaName, jobsName]) {
    const [existing] = await read(client, 'select from pg_namespace where nspname = $1', [name]);
    if (existing === undefined) await client.query({ text: `create schema ${quoted(name)}` });
  }
  await client.query({
    text: `
create table ${schema}.migrations (
  number int primary key,
  name text not null,
  -- The version of the package that took the step.
  version text not null,
  at timestamptz not null default now()
);
-- As graphile-worker creates it, which would also create the schema.
create table if not exists ${quoted(jobsName)}.migrations (
  id int primary key,
  ts timestamptz default now() not null,
  breaking boolean not null default false
);
commit`,
  });
}

/**
 * Whether the schema has the table of the applied steps.
 *
 * @throws ConfigurationError if another program has tables with the names of the store's.
 */
async function isCreated(client: PostgresClient, schemaName: string): Promise<boolean> {
  const steps = migrations.map(({ sql }) => sql).join('');
  const names = [...steps.matchAll(/create (?:unlogged )?table :schema\.(\w+)/g)].map(([, name]) => name);
  const rows = await read(
    client,
    `
select relname as name, exists (select from pg_attribute where attrelid = c.oid and attname = 'version') as has_version
from pg_class c join pg_namespace n on n.oid = relnamespace
where nspname = $1 and relname = any($2)
order by relname`,
    [schemaName, ['migrations', ...names]],
  );
  if (rows.length === 0) return false;
  if (rows.some((row) => textIn(row, 'name') === 'migrations' && booleanIn(row, 'has_version'))) return true;
  const found = rows.map((row) => textIn(row, 'name')).join(', ');
  throw new ConfigurationError(
    `The schema ${quoted(schemaName)} has tables of another program: ${found}. Choose another schema for the store.`,
  );
}

/** Returns the numbers of the applied steps. */
async function findApplied(client: PostgresClient, schema: string): Promise<ReadonlySet<number>> {
  const rows = await read(client, `select number, version from ${schema}.migrations order by number`);
  const newer = newerIn(rows.at(-1), schema);
  if (newer !== undefined) throw newer;
  return new Set(rows.map((row) => numberIn(row, 'number')));
}

/** Returns an error if the latest step, with its number and version, is that of a newer version of the package. */
export function newerIn(latest: unknown, schema: string): Error | undefined {
  if (latest === undefined || numberIn(latest, 'number') <= schemaVersion) return undefined;
  const version = textIn(latest, 'version');
  return new Error(
    `The schema ${schema} is that of messaging-automation ${version}, step ${numberIn(latest, 'number')}. This is messaging-automation ${packageVersion}, which knows the steps up to ${schemaVersion}. Install messaging-automation ${version} or later.`,
  );
}

/**
 * Applies a step. Replicas of an older version that still run lock tables in another order, and PostgreSQL ends such a deadlock by giving
 * up one of both. It finds a deadlock only after a second, so that there is no need to pause.
 */
async function applyDespiteReplicas(
  client: PostgresClient,
  database: Database,
  migration: Migration,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await apply(client, database, migration);
      return;
    } catch (error) {
      if (tries === mostTries || !isGivenUp(error)) throw error;
      await client.query({ text: 'rollback' });
    }
  }
}

async function apply(client: PostgresClient, database: Database, migration: Migration): Promise<void> {
  const names = new Map([
    ['schema', database.schema],
    ['jobs', quoted(jobsSchemaOf(database.schemaName))],
    ['channel', quotedText(database.schemaName)],
  ]);
  const text = migration.sql.replace(
    /:(schema|jobs|channel)\b/g,
    (whole, name: string) => names.get(name) ?? whole,
  );
  await client.query({ text: 'begin isolation level read committed' });
  await client.query({ text });
  await client.query({
    text: `insert into ${database.schema}.migrations (number, name, version) values ($1, $2, $3)`,
    values: [migration.number, migration.name, packageVersion],
  });
  await client.query({ text: 'commit' });
}

async function read(
  client: PostgresClient,
  text: string,
  values: unknown[] = [],
): Promise<readonly unknown[]> {
  const query = { text, values, query_timeout: longestConnecting };
  return (await client.query(query)).rows;
}
