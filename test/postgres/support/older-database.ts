import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { repositoryFile } from '../../repository.js';

/** Restores the schema and the data of a database of version 0.1.0. Returns the name of the schema. */
export async function restoreOlder(connectionString: string, schema = 'of_0_1_0'): Promise<string> {
  const dump = await readFile(repositoryFile('test/postgres/fixtures/database-0.1.0.sql'), 'utf8');
  // Another client than those of a pool, because the dump sets the path of its session.
  const client = new Client({ connectionString });
  await client.connect();
  await client.query(dump.replaceAll('of_0_1_0', schema));
  await client.end();
  return schema;
}

/** Restores a database of version 0.1.0 with the data of `test/server/state/fixtures/hostile-world.ts`. */
export async function restoreHostile(connectionString: string): Promise<string> {
  const schema = await restoreOlder(connectionString, 'hostile');
  const client = new Client({ connectionString });
  await client.connect();
  // pg_dump writes tables before those that refer to them only together with their constraints.
  const { rows } = await client.query<{ name: string }>(
    'select tablename as name from pg_tables where schemaname = $1',
    [schema],
  );
  await client.query(`truncate ${rows.map(({ name }) => `${schema}.${name}`).join(', ')}`);
  await client.query("set session_replication_role = 'replica'");
  await client.query(await readFile(repositoryFile('test/postgres/fixtures/hostile-data-0.1.0.sql'), 'utf8'));
  await client.end();
  return schema;
}
