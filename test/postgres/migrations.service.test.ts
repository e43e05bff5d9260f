import { type PostgresStoreOptions, postgresStore } from 'messaging-automation/postgres';
import { Client, Pool } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { migrations } from '../../src/postgres/database/migrations/migrations.js';
import { endPool } from '../run/postgres-server.js';
import { missingPostgres, usePostgres } from './support/database.js';
import { restoreOlder } from './support/older-database.js';
import { changed, emptyWorkspace, openStore, untilItHolds } from './support/replicas.js';

describe.skipIf(missingPostgres)('migrate()', () => {
  const postgres = usePostgres();

  const appliedTo = async (schema: string) => {
    const { rows } = await postgres().server.pool.query<{ number: number; name: string }>(
      `select number, name from "${schema}".migrations order by number`,
    );
    return rows;
  };
  /** The definitions of all functions, indexes, triggers, constraints and columns, with the same name for the schema. */
  const definitionsIn = async (schema: string) => {
    const { rows } = await postgres().server.pool.query<{ definition: string }>(
      `select pg_get_functiondef(oid) as definition from pg_proc where pronamespace = $1::text::regnamespace
       union all select indexdef from pg_indexes where schemaname = $1::text
       union all select pg_get_triggerdef(t.oid) from pg_trigger t join pg_class c on c.oid = tgrelid
         where relnamespace = $1::text::regnamespace and not tgisinternal
       union all select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) from pg_constraint
         where connamespace = $1::text::regnamespace
       union all select concat_ws(' ', table_name, column_name, data_type, column_default, is_nullable, identity_generation)
         from information_schema.columns where table_schema = $1::text`,
      [schema],
    );
    return rows.map(({ definition }) => definition.replaceAll(schema, 'schema')).sort();
  };
  /** Why the tables cannot be created. */
  const refusalOf = async (options: PostgresStoreOptions) => {
    const store = postgresStore(options);
    const refused = await store.migrate().then(() => 'It was migrated.', String);
    await store.close();
    return refused;
  };
  const all = migrations.map(({ number, name }) => ({ number, name }));

  test('creates everything once, whoever calls it at the same time', async () => {
    const { connectionString } = postgres();
    const schema = 'odd "name"; \\ of a schema';
    const stores = Array.from({ length: 3 }, () => postgresStore({ connectionString, schema }));
    await Promise.all(stores.map((store) => store.migrate()));
    await Promise.all(stores.map((store) => store.close()));
    expect(await appliedTo(schema.replaceAll('"', '""'))).toEqual(all);
    const { store, told } = await openStore(postgres(), { schema });
    await store.records.addWorkspace(emptyWorkspace('w'));
    await changed(store.records.workspace('w').settings);
    await told.until(({ changes }) => changes.some(([, part]) => part === 'settings'));
  });

  test('refuses a database that is not in UTF8, by name, and creates nothing', async () => {
    const { connectionString, server } = postgres();
    const name = `${new URL(connectionString).pathname.slice(1)}_latin1`;
    await server.pool.query(`create database ${name} encoding 'LATIN1' locale 'C' template template0`);
    onTestFinished(async () => void (await server.pool.query(`drop database ${name} with (force)`)));
    const latin = new URL(`/${name}`, connectionString).href;
    expect(await refusalOf({ connectionString: latin })).toBe(
      "ConfigurationError: The database of the store has the encoding LATIN1, which cannot hold every character. Create a database with the encoding UTF8: create database <name> encoding 'UTF8' locale 'C' template template0.",
    );
    const pool = new Pool({ connectionString: latin });
    const { rows } = await pool.query("select from pg_namespace where nspname like 'messaging%'");
    await endPool(pool);
    expect(rows).toEqual([]);
  });

  test('refuses a schema with tables of another program, and leaves it as it is', async () => {
    const { connectionString, server } = postgres();
    await server.pool.query(`create schema theirs; create table theirs.migrations (id int);
      create schema theirs_too; create table theirs_too.contacts (id int)`);
    expect(await refusalOf({ connectionString, schema: 'theirs' })).toBe(
      'ConfigurationError: The schema "theirs" has tables of another program: migrations. Choose another schema for the store.',
    );
    expect(await refusalOf({ connectionString, schema: 'theirs_too' })).toContain('program: contacts.');
    const { rows } = await server.pool.query<{ name: string }>(
      "select relnamespace::regnamespace || '.' || relname as name from pg_class where relnamespace::regnamespace::text like 'theirs%' and relkind = 'r'",
    );
    expect(rows.map(({ name }) => name).sort()).toEqual(['theirs.migrations', 'theirs_too.contacts']);
    const schemas = await server.pool.query("select from pg_namespace where nspname like 'theirs%jobs'");
    expect(schemas.rows).toEqual([]);
  });

  test('works with the least connections', async () => {
    const { connectionString } = postgres();
    const store = postgresStore({ connectionString, schema: 'narrow', poolSize: 1 });
    await store.migrate();
    await store.close();
    expect(await appliedTo('narrow')).toEqual(all);
  });

  test('makes the schema of version 0.1.0 the same as a new one', async () => {
    const { connectionString, freshSchema } = postgres();
    const schema = await restoreOlder(connectionString);
    const before = await definitionsIn(schema);
    expect(before.filter((definition) => definition.includes("SET enable_seqscan TO 'off'"))).toHaveLength(2);
    const store = postgresStore({ connectionString, schema });
    await store.migrate();
    await store.close();
    const after = await definitionsIn(schema);
    expect(after).toEqual(await definitionsIn(await freshSchema()));
    expect(after.filter((definition) => /\bset (local )?(enable_|jit|plan_)/i.test(definition))).toEqual([]);
  });

  test('begins a step again that PostgreSQL gives up in favor of a replica that still runs', async () => {
    const { connectionString, server } = postgres();
    const schema = await restoreOlder(connectionString, 'deadlocked');
    const replica = new Client({ connectionString });
    await replica.connect();
    onTestFinished(() => replica.end());
    // So that the update, which waits first, is given up.
    await replica.query(
      `set deadlock_timeout = '10s'; begin; lock table ${schema}.deliveries in row share mode`,
    );
    const store = postgresStore({ connectionString, schema });
    onTestFinished(() => store.close());
    const migrated = store.migrate();
    await untilItHolds('the update waits for the replica', async () => {
      const { rowCount } = await server.pool.query(
        'select from pg_locks where relation = $1::regclass and not granted',
        [`${schema}.deliveries`],
      );
      return rowCount === 1;
    });
    await replica.query(`lock table ${schema}.workspaces in row share mode; commit`);
    await migrated;
    expect(await appliedTo(schema)).toEqual(all);
  });

  test('leaves a replica of version 0.1.0 the functions that it calls, or refuses them', async () => {
    const { connectionString, server } = postgres();
    const functionsIn = async (schema: string) => {
      const { rows } = await server.pool.query<{ name: string; signature: string }>(
        `select proname as name, concat_ws(' ', proname, oidvectortypes(proargtypes), pg_get_function_result(oid)) as signature
         from pg_proc where pronamespace = $1::text::regnamespace order by 1`,
        [schema],
      );
      return rows;
    };
    const schema = await restoreOlder(connectionString, 'beside');
    const before = await functionsIn(schema);
    const store = postgresStore({ connectionString, schema });
    await store.migrate();
    await store.close();
    const after = (await functionsIn(schema)).map(({ signature }) => signature);
    const gone = before.filter(({ signature }) => !after.includes(signature));
    expect(gone.map(({ name }) => name)).toEqual([
      'add_api_key',
      'begin_sends',
      'lock_workspaces',
      'save_messages',
      'save_run',
      'settle_and_claim',
      'settle_sends',
    ]);
  });
});
