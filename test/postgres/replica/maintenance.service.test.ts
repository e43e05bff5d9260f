import { postgresStore } from 'messaging-automation/postgres';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Database } from '../../../src/postgres/database/connection.js';
import { noCounts } from '../../../src/postgres/replica/replica-parts.js';
import { sweep } from '../../../src/postgres/replica/sweep.js';
import { eventNamed } from '../../server/store-conformance/events.js';
import { outboxEvent, receive } from '../../server/store-conformance/receiving.js';
import { sendNamed } from '../../server/store-conformance/sends.js';
import { missingPostgres, usePostgres } from '../support/database.js';
import { digestOf, messageEntry, openStore, openTwo, waitingWorkspace } from '../support/replicas.js';
import { failing } from '../support/replicas-of-a-service.js';

describe.skipIf(missingPostgres)('the maintenance of a store', () => {
  const postgres = usePostgres();

  test('reports that the database stops its statements, with the reason', async () => {
    const { server } = postgres();
    const { told, schema } = await openStore(postgres(), { lease: '400ms' });
    await server.pool.query(failing('replicas', 'insert', '53100').replaceAll(':schema', schema));
    // It renews its leases ten times a second.
    await told.until(({ failures }) => failures.length > 0, 5_000);
    expect(told.failures[0]).toMatchObject({
      code: '53100',
      message: expect.stringMatching(/disk of the database is full .*an error of the test/),
    });
  });

  test('reads as little where there are many idle workspaces and subscriptions as where there are few', async () => {
    const { connectionString, freshSchema, server } = postgres();
    const schema = await freshSchema();
    const store = postgresStore({ connectionString, schema });
    onTestFinished(() => store.close());
    const add = async (count: number) => {
      for (let i = 0; i < count; i += 1) {
        const workspace = waitingWorkspace({ subscriptions: ['a', 'b', 'c'] });
        await store.records.addWorkspace(workspace);
        const { journal } = store.records.workspace(workspace.state.workspace.id);
        await journal.append({ number: 1, entries: [messageEntry] });
      }
    };
    /** How often a statement reads an index or a table. */
    const readsOf = async (statement: string) => {
      const client = await server.pool.connect();
      await client.query('begin');
      await client.query(statement);
      const { rows } = await client.query<{ reads: string }>(
        `select sum(coalesce(seq_scan, 0) + coalesce(idx_scan, 0)) as reads from pg_stat_xact_user_tables where schemaname = $1`,
        [schema],
      );
      client.release(true);
      return Number(rows[0]?.reads);
    };
    const all = async () => [
      await readsOf(`select ${schema}.forget_entries(${30 * 24 * 3_600_000}, 1000)`),
      await readsOf(`select * from ${schema}.due_work(1000)`),
    ];
    await add(2);
    const few = await all();
    await add(20);

    expect(await all()).toEqual(few);
  });

  test('deletes a large workspace in steps, which a sweep continues after an error', async () => {
    const { connectionString, freshSchema, server } = postgres();
    const schema = await freshSchema();
    const [store, elsewhere] = [
      postgresStore({ connectionString, schema }),
      postgresStore({ connectionString, schema }),
    ];
    const database = new Database({ connectionString, schema });
    onTestFinished(() => Promise.all([store.close(), elsewhere.close(), database.close()]).then(() => {}));
    const query = async (text: string) => (await server.pool.query(text.replaceAll(':schema', schema))).rows;
    for (const id of ['large', 'other'])
      await store.records.addWorkspace(waitingWorkspace({ deliveries: 9e12, run: 9e12 }, id));
    await query(`
insert into :schema.contacts (workspace, id, phone, properties)
select 1, 'c' || i, 'p' || i, '{}' from generate_series(1, 3000) i;
insert into :schema.events (workspace, id, contact_id, event, accepted_at, properties)
select 1, 'e' || i, 'c1', 'order', i, '{}' from generate_series(1, 1000) i`);
    const left = async (table: string, workspace = 1) =>
      (await query(`select from :schema.${table} where workspace = ${workspace}`)).length;
    await query(failing('events', 'delete', '57014'));
    await store.records.workspace('large').delete();

    expect(await left('events')).toBe(1_000);
    expect(await elsewhere.records.listWorkspaceIds()).toEqual(['other']);
    expect(await elsewhere.records.findWorkspace(digestOf('large'))).toBeUndefined();
    expect(await elsewhere.records.workspace('large').contacts.findById('c1')).toBeUndefined();
    expect(await elsewhere.records.workspace('other').recordEvent(eventNamed('event', 'contact'))).toBe(true);
    expect(await elsewhere.records.addWorkspace(waitingWorkspace({}, 'large'))).toBe('added');
    await query('drop trigger failing on :schema.events');
    const rests: number[] = [];
    await sweep(database, 0, noCounts(), async (took) => {
      rests.push(took);
      return (await left('contacts')) === 3_001;
    });
    expect(await left('events')).toBe(0);
    expect(await left('contacts')).toBeGreaterThan(0);
    expect(rests.length > 2 && rests.every((took) => took > 0)).toBe(true);
    await sweep(database, 0, noCounts(), async () => true);
    expect(await query('select id from :schema.workspaces order by id')).toEqual([
      { id: 'large' },
      { id: 'other' },
    ]);
    expect([await left('contacts'), await left('contacts', 2), await left('deliveries', 2)]).toEqual([
      0, 1, 1,
    ]);
    for (const id of ['large', 'other'])
      expect(await elsewhere.records.workspace(id).contacts.findById('contact')).toBeDefined();
  });

  test('deletes every row of a deleted workspace, and none of another', async () => {
    const { server } = postgres();
    const { one, other, schema } = await openTwo(postgres(), { lease: '10m' });
    const query = async (text: string) =>
      (await server.pool.query(text.replaceAll(':schema', `"${schema}"`))).rows;
    const later = 9_000_000_000_000;
    for (const [id, { store }] of [
      ['deleted', one],
      ['kept', other],
    ] as const) {
      await store.records.addWorkspace(waitingWorkspace({ deliveries: later, run: later }, id));
      const workspace = store.records.workspace(id);
      const { sends, templates, journal, admissions, outbox } = workspace;
      await receive(workspace, outboxEvent());
      await receive(workspace, outboxEvent());
      await outbox.claimDue('subscription', 9, 1);
      await workspace.recordEvent(eventNamed('event', 'contact'));
      await sends.begin(sendNamed('send'));
      await templates.put({
        id: 't',
        name: 'T',
        language: 'en',
        status: 'approved',
        body: 'T',
        variables: [],
      });
      await journal.append({ number: 1, entries: [messageEntry] });
      await admissions.count(1, 60_000);
      await store.records.addApiKey(id, `second key of ${id}`);
      await store.records.removeApiKey(id, `second key of ${id}`);
    }
    await query('insert into :schema.forgotten select number from :schema.workspaces');
    await query(
      `insert into :schema.set_aside select number, 'sends', 'id', 'reason', 'row' from :schema.workspaces`,
    );
    const tables = await query(`
select table_name as name from information_schema.columns
where table_schema = '${schema}' and column_name = 'workspace' order by table_name`);
    const numbers = await query('select number from :schema.workspaces order by number');
    const [deleted, kept] = numbers.map(({ number }) => Number(number));
    const rowsOf = async (workspace = 0) => {
      const counts: Record<string, number> = {};
      for (const { name } of tables) {
        const rows = await query(`select from :schema."${name}" where workspace = ${workspace}`);
        counts[String(name)] = rows.length;
      }
      const jobs = `select from "${schema}_jobs".jobs where split_part(key, ':', 2) = '${workspace}'`;
      return { ...counts, jobs: (await query(jobs)).length };
    };
    const before = await rowsOf(deleted);
    expect(Object.entries(before).filter(([, rows]) => rows === 0)).toEqual([]);
    expect(await rowsOf(kept)).toEqual(before);
    await one.store.records.deleteWorkspace('deleted');

    expect(Object.entries(await rowsOf(deleted)).filter(([, rows]) => rows > 0)).toEqual([]);
    expect(await rowsOf(kept)).toEqual(before);
  });
});
