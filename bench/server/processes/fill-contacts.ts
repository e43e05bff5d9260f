import pg from 'pg';
import { storeVariables } from './store.js';

/**
 * Writes contacts into the one workspace of the store that the environment names, as many at once as the database takes: by
 * the API a million would take an hour.
 *
 * @returns The bytes on disk of one of them, indexes included.
 */
export async function fillContacts(count: number): Promise<number> {
  const { [storeVariables.url]: connectionString, [storeVariables.schema]: schema } = process.env;
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(
      `
insert into ${schema}.contacts (workspace, id, phone, properties)
select
  workspaces.number,
  'contact_' || replace(gen_random_uuid()::text, '-', ''),
  '+1' || (2000000000 + index),
  json_build_object('firstName', 'Ada ' || index, 'visits', index)
from ${schema}.workspaces, generate_series(0, $1::int - 1) as index`,
      [count],
    );
    await client.query(`vacuum analyze ${schema}.contacts`);
    const { rows } = await client.query<{ bytes: string }>(
      `select pg_total_relation_size('${schema}.contacts') as bytes`,
    );
    return Number(rows[0]?.bytes) / count;
  } finally {
    await client.end();
  }
}
