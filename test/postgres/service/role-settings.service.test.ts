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

  /** The connection string of a new role with these settings. */
  async function roleWith(name: string, settings: Readonly<Record<string, string>>): Promise<string> {
    const { server, connectionString } = postgres();
    await server.pool.query(`create role ${name} login superuser password 'secret'`);
    for (const [setting, value] of Object.entries(settings)) {
      await server.pool.query(`alter role ${name} set ${setting} = '${value}'`);
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
});
