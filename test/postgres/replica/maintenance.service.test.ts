import { describe, expect, test } from 'vitest';
import { sendNamed } from '../../server/store-conformance/sends.js';
import { missingPostgres, usePostgres } from '../support/database.js';
import { messageEntry, openStore, waitingWorkspace } from '../support/replicas.js';
import { failing } from '../support/replicas-of-a-service.js';

describe.skipIf(missingPostgres)('the maintenance of a store', () => {
  const postgres = usePostgres();

  test('reports that the database stops its statements, with the reason', async () => {
    const { server } = postgres();
    const { told, schema } = await openStore(postgres(), { lease: '400ms' });
    await server.pool.query(failing('replicas', 'insert', '53100').replaceAll(':schema', schema));
    // It renews its leases ten times a second.
    await told.until(({ failures }) => failures.length > 0, 5_000);
    expect(told.failures[0]).toMatchObject({ code: '53100', message: 'an error of the test' });
  });

  test('deletes every row of a deleted workspace, and none of another', async () => {
    const { server } = postgres();
    const { store, schema } = await openStore(postgres(), { lease: '10m' });
    const query = async (text: string) =>
      (await server.pool.query(text.replaceAll(':schema', `"${schema}"`))).rows;
    const later = 9_000_000_000_000;
    for (const id of ['deleted', 'kept']) {
      await store.addWorkspace(waitingWorkspace({ deliveries: later, run: later }, id));
      const { recordEvent, sends, templates, journal, admissions } = store.workspace(id);
      await recordEvent({ id: 'event', contactId: 'contact', event: 'order', properties: {}, acceptedAt: 1 });
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
      await store.addApiKey(id, `second key of ${id}`);
      await store.removeApiKey(id, `second key of ${id}`);
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
    await store.deleteWorkspace('deleted');

    expect(Object.entries(await rowsOf(deleted)).filter(([, rows]) => rows > 0)).toEqual([]);
    expect(await rowsOf(kept)).toEqual(before);
  });
});
