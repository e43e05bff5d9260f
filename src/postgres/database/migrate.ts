import { packageVersion } from '../../foundation/version.js';
import type { PostgresClient } from '../options.js';
import type { Database } from './connection.js';
import { type Migration, migrations } from './migrations/migrations.js';
import { jobsSchemaOf, quoted, quotedText } from './names.js';
import { booleanIn, numberIn, textIn } from './rows.js';

/** The oldest supported version of PostgreSQL. */
const oldestPostgres = 13;

/** The number of the latest step that this version knows. */
export const schemaVersion = migrations.reduce((latest, { number }) => Math.max(latest, number), 0);

/**
 * Creates the schema, or migrates an older one. If several processes call it at the same time, one migrates and the others
 * wait.
 *
 * @param prepareJobs - Creates or migrates the schema of the jobs, which later steps use.
 */
export async function migrate(database: Database, prepareJobs: () => Promise<void>): Promise<void> {
  const client = await database.connect();
  try {
    await refuseOldPostgres(client);
    // A migration step, here or in another process, may take long.
    await client.query({ text: 'set statement_timeout = 0' });
    await client.query({
      text: 'select pg_advisory_lock(hashtextextended($1, 0))',
      values: [`messaging-automation:${database.schemaName}`],
    });
    await createTable(client, database.schema);
    const applied = await findApplied(client, database.schema);
    await prepareJobs();
    for (const migration of migrations) {
      if (!applied.has(migration.number)) await apply(client, database, migration);
    }
  } finally {
    // Closing the session also ends its lock, its timeout and a failed transaction.
    client.release(true);
  }
}

async function refuseOldPostgres(client: PostgresClient): Promise<void> {
  const [row] = await read(
    client,
    "select current_setting('server_version_num')::int as number, current_setting('server_version') as version",
  );
  if (Math.floor(numberIn(row, 'number') / 10_000) >= oldestPostgres) return;
  throw new Error(
    `The store needs PostgreSQL ${oldestPostgres} or later, but the database is PostgreSQL ${textIn(row, 'version')}. Upgrade the database.`,
  );
}

async function createTable(client: PostgresClient, schema: string): Promise<void> {
  // Check first, so that a user without the right to create schemas can use an existing one.
  const [row] = await read(client, 'select to_regclass($1) is not null as exists', [`${schema}.migrations`]);
  if (booleanIn(row, 'exists')) return;
  await client.query({ text: `create schema if not exists ${schema}` });
  await client.query({
    text: `
create table ${schema}.migrations (
  number int primary key,
  name text not null,
  -- The version of the package that took the step.
  version text not null,
  at timestamptz not null default now()
)`,
  });
}

/** Returns the numbers of the applied steps. */
async function findApplied(client: PostgresClient, schema: string): Promise<ReadonlySet<number>> {
  const rows = await read(client, `select number, version from ${schema}.migrations order by number`);
  const latest = rows.at(-1);
  if (latest !== undefined && numberIn(latest, 'number') > schemaVersion) {
    const version = textIn(latest, 'version');
    throw new Error(
      `The schema ${schema} is that of messaging-automation ${version}, step ${numberIn(latest, 'number')}. This is messaging-automation ${packageVersion}, which knows the steps up to ${schemaVersion}. Install messaging-automation ${version} or later.`,
    );
  }
  return new Set(rows.map((row) => numberIn(row, 'number')));
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
  await client.query({ text: 'begin' });
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
  return (await client.query({ text, values })).rows;
}
