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
