import { execFile } from 'node:child_process';
import { inspect, promisify } from 'node:util';
import { postgresStore } from 'messaging-automation/postgres';
import { Pool } from 'pg';
import { describe, expect, test } from 'vitest';
import { bundle } from '../run/bundle.js';
import { missingPostgres, usePostgres } from './support/database.js';
import { emptyWorkspace, openTwo, Told } from './support/replicas.js';

const run = promisify(execFile);

async function refusalOf(connectionString: string): Promise<string> {
  const store = postgresStore({ connectionString });
  const error: unknown = await store.open(new Told()).then(
    () => 'It was opened.',
    (reason: unknown) => reason,
  );
  await store.close();
  // All that anybody could print of it.
  expect(inspect(error, { depth: 9 })).not.toContain('p4ssword');
  return String(error);
}

describe('a store that cannot be opened', () => {
  test('says so where nobody listens', async () => {
    expect(await refusalOf('postgres://user:p4ssword@127.0.0.1:1/database')).toBe(
      'Error: The server cannot connect to its database. Nothing listens at that host and port (ECONNREFUSED). Start it, or correct the URL.',
    );
  });

  test('says so where the connection string is none', async () => {
    expect(await refusalOf('postgres://user:p4ssword@host:port/database')).toMatch(
      /^ConfigurationError: The connectionString of the store is not a URL\./,
    );
  });
});

describe.skipIf(missingPostgres)('a store', () => {
  const postgres = usePostgres();

  test('says what is wrong with the password and the database, without the password', async () => {
    const { connectionString } = postgres();
    const wrong = connectionString.replace(/:[^:@/]+@/, ':p4ssword@');
    expect(await refusalOf(wrong)).toMatch(/rejects the role or its password \(28P01: password auth/);
    expect(await refusalOf(new URL('/nowhere', connectionString).href)).toMatch(
      /The database does not exist \(3D000: database "nowhere"/,
    );
  });

  test('refuses all use once a newer version has updated the schema, and says so once', async () => {
    const { one, other, schema } = await openTwo(postgres(), { lease: '200ms' });
    await one.store.records.addWorkspace(emptyWorkspace('w'));
    const { pool } = postgres().server;
    await pool.query(
      `insert into ${schema}.migrations (number, name, version) values (999, 'later', '99.0.0')`,
    );
    for (const { store, told } of [one, other]) {
      await told.until(({ failures }) => failures.length === 1);
      expect(String(told.failures[0])).toMatch(/is that of messaging-automation 99\.0\.0, step 999/);
      await expect(store.records.workspace('w').subscriptions.list()).rejects.toThrow(
        'This server is older than its database, which a newer version has updated.',
      );
      expect(await store.health()).toMatchObject({ state: 'unreachable' });
    }
    await one.store.close();
    expect(one.told.failures).toHaveLength(1);
  });

  test('is opened once', async () => {
    const { connectionString, freshSchema } = postgres();
    const store = postgresStore({ connectionString, schema: await freshSchema() });
    await store.open(new Told());
    await expect(store.open(new Told())).rejects.toThrow('already open');
    await store.close();
    await expect(store.open(new Told())).rejects.toThrow('is closed');
  });

  test('that is closed while it opens leaves no connection', async () => {
    const { connectionString, freshSchema } = postgres();
    const pool = new Pool({ connectionString });
    const store = postgresStore({ pool, schema: await freshSchema() });
    const opened = expect(store.open(new Told())).rejects.toThrow('was closed while it opened');
    await store.close();
    await opened;

    // It waits for each connection that the store has.
    await pool.end();
  });

  test('leaves nothing that keeps its process from ending', async () => {
    const { connectionString, freshSchema } = postgres();
    const schema = await freshSchema();
    const program = await bundle({ file: 'test/postgres/support/open-and-close.ts' });
    const { stdout, stderr } = await run(process.execPath, [program], {
      env: { ...process.env, STORE_URL: connectionString, STORE_SCHEMA: schema },
    });
    expect([stdout, stderr]).toEqual(['closed\n', '']);
  });
});
