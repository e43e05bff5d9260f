import { postgresStore } from 'messaging-automation/postgres';
import { describe, expect, test } from 'vitest';
import { migrations } from '../../src/postgres/database/migrations/migrations.js';
import { missingPostgres, usePostgres } from './support/database.js';
import { emptyWorkspace, Replicas } from './support/replicas.js';

describe.skipIf(missingPostgres)('migrate()', () => {
  const postgres = usePostgres();

  const appliedTo = async (schema: string) => {
    const { rows } = await postgres().server.pool.query<{ number: number; name: string }>(
      `select number, name from "${schema}".migrations order by number`,
    );
    return rows;
  };
  const all = migrations.map(({ number, name }) => ({ number, name }));

  test('creates everything once, whoever calls it at the same time', async () => {
    const { connectionString } = postgres();
    const schema = 'odd "name"; \\ of a schema';
    const stores = Array.from({ length: 3 }, () => postgresStore({ connectionString, schema }));
    await Promise.all(stores.map((store) => store.migrate()));
    await Promise.all(stores.map((store) => store.close()));
    expect(await appliedTo(schema.replaceAll('"', '""'))).toEqual(all);
    await using replicas = new Replicas();
    const { store, told } = await replicas.open({ connectionString, schema });
    await store.addWorkspace(emptyWorkspace('w'));
    await store.workspace('w').conditions.change((now) => now);
    await told.until(({ changes }) => changes.some(([, part]) => part === 'conditions'));
  });

  test('works with the least connections', async () => {
    const { connectionString } = postgres();
    const store = postgresStore({ connectionString, schema: 'narrow', poolSize: 1 });
    await store.migrate();
    await store.close();
    expect(await appliedTo('narrow')).toEqual(all);
  });

  test('brings an older schema up to date', async () => {
    const { connectionString, freshSchema, server } = postgres();
    const schema = 'older';
    // A schema that has taken the first step alone.
    await server.pool.query(`create schema ${schema}`);
    await server.pool.query(
      `create table ${schema}.migrations (number int primary key, name text, version text, at timestamptz default now())`,
    );
    await server.pool.query((migrations[0]?.sql ?? '').replaceAll(':schema', schema));
    await server.pool.query(`insert into ${schema}.migrations values (1, 'records', '0.0.0')`);
    await server.pool.query(`insert into ${schema}.workspaces (id) values ('kept')`);
    await freshSchema();
    const store = postgresStore({ connectionString, schema });
    await store.migrate();
    expect(await appliedTo(schema)).toEqual(all);
    expect(await store.listWorkspaceIds()).toEqual(['kept']);
    await store.close();
  });

  test('refuses a newer schema, and says which version to install', async () => {
    const { connectionString, freshSchema, server } = postgres();
    const schema = await freshSchema();
    await server.pool.query(`insert into ${schema}.migrations values (99, 'later', '7.8.9')`);
    const store = postgresStore({ connectionString, schema });
    await expect(store.migrate()).rejects.toThrow(/step 99\..*Install messaging-automation 7\.8\.9 or later/);
    await store.close();
  });
});
