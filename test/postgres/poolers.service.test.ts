import { postgresStore } from 'messaging-automation/postgres';
import {
  createReferenceServer,
  type ReferenceServer,
  type ReferenceWorkspace,
} from 'messaging-automation/server';
import { Pool } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { notRun } from '../run/debian.js';
import { findPgbouncer, startPgbouncer } from '../run/pgbouncer-server.js';
import { endPool } from '../run/postgres-server.js';
import { control } from '../server/control-routes/support.js';
import { within } from '../waiting.js';
import { missingPostgres, usePostgres } from './support/database.js';

const found = await findPgbouncer();
const program = 'missing' in found ? undefined : found.program;
if ('missing' in found) notRun('the tests of a store behind PgBouncer', found.missing);

describe.skipIf(missingPostgres ?? program === undefined)('a store behind PgBouncer', () => {
  const postgres = usePostgres();

  async function startPooler(mode: Parameters<typeof startPgbouncer>[2], setting = ''): Promise<string> {
    const pooler = await startPgbouncer(program ?? '', postgres().connectionString, mode, setting);
    onTestFinished(() => pooler.stop());
    return pooler.url;
  }

  function serve(connectionString: string, schema: string): ReferenceServer {
    const store = postgresStore({ connectionString, schema, poolSize: 3 });
    const fetch = async () => new Response(null, { status: 204 });
    const server = createReferenceServer({ store, fetch, clock: 'frozen' });
    onTestFinished(() => server.close());
    return server;
  }

  async function receiveIn({ client, simulate }: ReferenceWorkspace): Promise<void> {
    await client.webhooks.create({ url: 'https://example.com/hook', events: ['message.received'] });
    await simulate.inboundMessage({ phone: '+15551234567', body: 'Hello' });
  }

  test('in session mode works, with the timeouts of the store, for two workspaces of two replicas', async () => {
    const connectionString = await startPooler('session');
    const schema = await postgres().freshSchema();
    const [one, two] = [serve(connectionString, schema), serve(connectionString, schema)];
    const other = two.workspace();
    await Promise.all([one, other].map(receiveIn));
    await Promise.all([two, other].map(({ clock }) => clock.advance('1s')));
    expect(await two.journal.deliveries()).toMatchObject([{ status: 'delivered' }]);
    const { body } = await control(one, other)('GET', '/deliveries');
    expect(body).toMatchObject({ data: [{ status: 'delivered' }] });
  });

  test('in session mode with too few sessions says in time that it gets none, and another replica goes on', async () => {
    const connectionString = await startPooler('session', 'default_pool_size = 1');
    const schema = await postgres().freshSchema();
    const direct = serve(postgres().connectionString, schema);
    const other = direct.workspace();
    const store = postgresStore({ connectionString, schema });
    const migrated = within('the refusal', store.migrate(), undefined, 30_000);
    const refused = expect(migrated).rejects.toThrow(
      /gives this server 1 of the 3 connections that it needs.*\(QUERY_TIMEOUT\)/,
    );
    await within('messages in both workspaces', Promise.all([direct, other].map(receiveIn)));
    await within('their deliveries', direct.settled());
    for (const { journal } of [direct, other])
      expect(await journal.deliveries()).toMatchObject([{ status: 'delivered' }]);
    await refused;
    await store.close();
  });

  test.each(['transaction', 'statement'] as const)('in %s mode is refused by name', async (mode) => {
    const connectionString = await startPooler(mode);
    const pool = new Pool({ connectionString });
    for (const options of [{ connectionString }, { pool }]) {
      const store = postgresStore(options);
      await expect(store.migrate()).rejects.toThrow(
        'The store reaches PostgreSQL through a pooler in transaction or statement mode, such as PgBouncer with pool_mode = transaction, which gives its statements to changing sessions. The store listens and locks in its sessions. Connect to PostgreSQL directly, or to a pooler in session mode (PgBouncer: pool_mode = session).',
      );
      await store.close();
    }
    const { rows } = await pool.query("select current_setting('statement_timeout') as timeout");
    expect(rows).toEqual([{ timeout: '0' }]);
    await endPool(pool);
  });
});
