import { postgresStore } from 'messaging-automation/postgres';
import { Pool } from 'pg';
import { describe, expect, test } from 'vitest';
import { endPool } from '../../run/postgres-server.js';
import { missingPostgres, usePostgres } from '../support/database.js';
import { untilItHolds } from '../support/replicas.js';
import { startFrozen } from '../support/replicas-of-a-service.js';

const phone = '+15551234567';

describe.skipIf(missingPostgres)('a role whose connections have other settings', () => {
  const postgres = usePostgres();
  let schemas = 0;

  /** The connection string of a new role with these settings. */
  async function roleWith(name: string, settings: Readonly<Record<string, string>>): Promise<string> {
    const { server, connectionString } = postgres();
    await server.pool.query(`create role ${name} login superuser password 'secret'`);
    for (const [setting, value] of Object.entries(settings)) {
      const values = value.split(', ').map((each) => `'${each}'`);
      await server.pool.query(`alter role ${name} set ${setting} = ${values.join(', ')}`);
    }
    return Object.assign(new URL(connectionString), { username: name, password: 'secret' }).href;
  }

  test('does not change what the store waits for, or what its transactions see', async () => {
    const connectionString = await roleWith('strict', {
      default_transaction_isolation: 'serializable',
      lock_timeout: '1ms',
      statement_timeout: '1s',
      idle_in_transaction_session_timeout: '1s',
    });
    const { one, two, schema } = await startFrozen(
      { ...postgres(), connectionString },
      { quota: 5, addOnCredits: 0, contacts: [{ phone }], templates: [{ id: 'welcome', body: 'Hi' }] },
    );
    const { pool } = postgres().server;
    const holder = await pool.connect();
    await holder.query('begin');
    await holder.query(`lock table ${schema}.contacts in access exclusive mode`);
    const upsert = two.client.contacts.upsert({ phone, properties: { city: 'Ulm' } });
    try {
      await untilItHolds('the call waits for the lock', async () => {
        const { rowCount } = await pool.query('select from pg_locks where not granted');
        return rowCount !== 0;
      });
      await holder.query('commit');
    } finally {
      holder.release(true);
    }
    expect(await upsert).toMatchObject({ properties: { city: 'Ulm' } });

    const sends = [one, two, one, two, one, two, one, two].map((server) =>
      server.client.transactional.send({ phone, templateId: 'welcome' }).then(
        () => 'sent',
        ({ status }) => status,
      ),
    );
    expect((await Promise.all(sends)).sort()).toEqual([402, 402, 402, ...Array(5).fill('sent')]);
  });

  test('is refused in a pool of the program if its transactions are serializable', async () => {
    const connectionString = await roleWith('serial', { default_transaction_isolation: 'serializable' });
    const pool = new Pool({ connectionString });
    const store = postgresStore({ pool });
    await expect(store.migrate()).rejects.toThrow(
      'The connections in the pool of the store have the isolation level serializable. Set default_transaction_isolation',
    );
    await store.close();
    await endPool(pool);
  });

  /** Functions of PostgreSQL that the store and its library for jobs call, each of which fails here. */
  const hijacked = [
    'now() returns timestamptz',
    'clock_timestamp() returns timestamptz',
    'current_setting(text) returns text',
    'pg_backend_pid() returns int',
    'pg_notify(text, text) returns void',
    'pg_advisory_lock(bigint) returns void',
    'hashtextextended(text, bigint) returns bigint',
    'pg_is_in_recovery() returns boolean',
    'gen_random_uuid() returns uuid',
    'random() returns double precision',
    'unnest(anyarray) returns setof anyelement',
  ];

  function nextSchema(): string {
    schemas += 1;
    return `of_role_${schemas}`;
  }

  async function hijack(schema: string): Promise<void> {
    const { pool } = postgres().server;
    await pool.query(`create schema ${schema}`);
    for (const signature of hijacked)
      await pool.query(
        `create function ${schema}.${signature} language plpgsql as $$ begin raise exception 'hijacked'; end $$`,
      );
  }

  test('runs no functions of its own schemas in place of those of PostgreSQL', async () => {
    await hijack('hijacking');
    const role = await roleWith('hijacker', { search_path: 'hijacking, pg_catalog' });
    const byUrl = Object.assign(new URL(postgres().connectionString), {
      search: '?options=-c%20search_path%3Dhijacking,pg_catalog',
    }).href;
    for (const connectionString of [role, byUrl]) {
      const fresh = { ...postgres(), connectionString, freshSchema: async () => nextSchema() };
      const { one, two } = await startFrozen(fresh, { contacts: [{ phone }] });
      await one.client.webhooks.create({ url: 'https://example.com/hook', events: ['message.received'] });
      await two.simulate.inboundMessage({ phone, body: 'Hello' });
      await one.clock.advance('1s');
      expect(await two.journal.deliveries()).toHaveLength(1);
      expect((await one.contacts.list()).data).toHaveLength(1);
    }
  });

  test('is refused in a pool of the program if its schemas come before that of PostgreSQL', async () => {
    await hijack('first');
    const connectionString = await roleWith('first_finder', { search_path: 'first, pg_catalog' });
    const pool = new Pool({ connectionString });
    const store = postgresStore({ pool });
    await expect(store.migrate()).rejects.toThrow(
      'find functions in the schema first before those of PostgreSQL',
    );
    await store.close();
    await endPool(pool);
  });
});
