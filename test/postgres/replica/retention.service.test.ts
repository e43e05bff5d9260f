import { describe, expect, onTestFinished, test } from 'vitest';
import { Database } from '../../../src/postgres/database/connection.js';
import { postgresStore } from '../../../src/postgres/index.js';
import { agesOf, forgetOld } from '../../../src/postgres/replica/retention.js';
import { allOf } from '../../../src/server/model/page.js';
import { claimNext, eventNamed } from '../../server/store-conformance/events.js';
import { claimOf, listed } from '../../server/store-conformance/opening.js';
import { sendNamed } from '../../server/store-conformance/sends.js';
import { missingPostgres, usePostgres } from '../support/database.js';
import { messageEntry as message, openStore, waitingWorkspace } from '../support/replicas.js';

/** How many deliveries are over: more than one statement deletes. */
const many = 1_500;

describe.skipIf(missingPostgres)('what is over', () => {
  const postgres = usePostgres();

  /** A schema with two workspaces of two replicas, as if it had been written so many days ago. */
  async function agedSchema(days: number) {
    const { connectionString, freshSchema, server } = postgres();
    const schema = await freshSchema();
    const query = (text: string) => server.pool.query(text.replaceAll(':schema', `"${schema}"`));
    const store = postgresStore({ connectionString, schema });
    const beside = postgresStore({ connectionString, schema });
    const later = 9_000_000_000_000;
    const { state, ...rest } = waitingWorkspace({ deliveries: later, run: later }, 'w');
    const [delivery, run] = [claimOf(state.deliveries[0]), claimOf(state.journeyRuns[0])];
    const { dueAt: _, ...over } = delivery;
    const statuses = ['delivered', 'failed', 'cancelled'] as const;
    const overs = Array.from({ length: many }, (__, index) => {
      return { ...over, id: `over ${index}`, status: statuses[index % 3] ?? 'delivered' };
    });
    const ends = (['finished', 'failed'] as const).map((status) => ({ ...run, id: status, status }));
    await store.records.addWorkspace({
      ...rest,
      state: { ...state, deliveries: [delivery, ...overs], journeyRuns: [run, ...ends] },
    });
    await beside.records.addWorkspace({
      ...waitingWorkspace({}, 'v'),
      state: { ...waitingWorkspace({}, 'v').state, deliveries: overs.slice(0, 1) },
    });
    const { sends, journal } = store.records.workspace('w');
    const send = claimOf(await sends.begin(sendNamed('sent')));
    await sends.settle(send.claim, { accepted: true });
    await sends.begin(sendNamed('pending'));
    await journal.append({ number: 1, entries: [message, message] });
    await beside.records.workspace('v').journal.append({ number: 1, entries: [message] });
    for (const [id, completes] of [
      ['processed', true],
      ['waiting', false],
    ] as const) {
      for (const [name, replica] of [
        ['w', store],
        ['v', beside],
      ] as const) {
        const workspace = replica.records.workspace(name);
        await workspace.recordEvent(eventNamed(`${id} ${name}`, 'contact'));
        if (completes) await workspace.completeEvent((await claimNext(workspace)).claim, []);
      }
    }
    for (const table of ['deliveries', 'journey_runs', 'sends', 'events', 'journal_writers']) {
      await query(`update :schema.${table} set written_at = now() - interval '${days} days'`);
    }
    await query(`update :schema.journal set at = now() - interval '${days} days'`);
    await query(`update :schema.journals set oldest_at = now() - interval '${days} days'`);
    await journal.append({ number: 2, entries: [message] });
    await query(`insert into :schema.replicas values ('dead', now() - interval '${days} days')`);
    const database = new Database({ connectionString, schema });
    onTestFinished(async () => {
      for (const each of [store, beside, database]) await each.close();
    });
    return {
      schema,
      jobs: `"${schema}_jobs"`,
      store,
      beside,
      query,
      /** Forgets once, and returns how many records. */
      async forgotten(): Promise<number> {
        let count = 0;
        const rest = async () => true;
        await forgetOld(database, agesOf(), rest, (forgotten) => {
          count += forgotten;
        });
        return count;
      },
    };
  }

  test('is deleted when it is old, and counted for its workspace, and what waits stays', async () => {
    const { store, beside, query, forgotten } = await agedSchema(100);
    expect(await forgotten()).toBe(many + 1 + 2 + 1 + 2 + 3);

    const [w, v] = [store.records.workspace('w'), beside.records.workspace('v')];
    expect((await listed(w.outbox)).map(({ id }) => id)).toEqual(['delivery']);
    expect((await allOf((range) => w.journeys.pageOfRuns(range))).map(({ id }) => id)).toEqual(['run']);
    expect((await listed(w.sends)).map(({ id }) => id)).toEqual(['pending']);
    for (const { events } of [w, v])
      expect((await listed(events)).map(({ id }) => id.split(' ')[0])).toEqual(['waiting']);
    expect(await w.events.count('contact', 'seen', 0)).toBe(0);
    expect(await w.journal.readAfter(0, 10)).toMatchObject({ entries: [[3, message]], latestGone: 2 });
    expect(await v.journal.readAfter(0, 10)).toMatchObject({ entries: [], latestGone: 1 });
    expect(await w.countForgotten()).toEqual({ sends: 1, events: 1, deliveries: many, journeyRuns: 2 });
    expect(await v.countForgotten()).toEqual({ sends: 0, events: 1, deliveries: 1, journeyRuns: 0 });
    expect((await query('select from :schema.journal_writers')).rows).toHaveLength(1);
    expect((await query('select from :schema.replicas')).rows).toEqual([]);
    // A reset begins with counts of its own.
    await w.replaceState(await w.readState());
    expect(await w.countForgotten()).toEqual({ sends: 0, events: 0, deliveries: 0, journeyRuns: 0 });
    expect(await v.countForgotten()).toMatchObject({ deliveries: 1 });
  });

  test.each([
    [6, 0, 0],
    [8, 3, 0],
    [31, 3, many + 1],
  ])('is kept by its kind: after %d days, %d entries and %d deliveries are gone', async (days, ...gone) => {
    const [entries, deliveries] = gone;
    const { store, forgotten } = await agedSchema(days);
    expect(await forgotten()).toBe(entries + deliveries);
    expect(await listed(store.records.workspace('w').outbox)).toHaveLength(deliveries === 0 ? many + 1 : 1);
    const { latestGone } = await store.records.workspace('w').journal.readAfter(0, 1);
    expect(latestGone).toBe(entries === 0 ? 0 : 2);
  });

  test('is deleted once a minute at most, like the jobs that a dead replica has locked', async () => {
    const { query, jobs, forgotten } = await agedSchema(0);
    await query(`
select :schema.add_due_jobs(array[number], array['events'], array['left'], array[now() + interval '1 day'])
from :schema.workspaces`);
    await query(`
update ${jobs}._private_jobs
set locked_at = now() - interval '2 minutes', locked_by = 'dead', attempts = 1
where key like '%left'`);
    const left = async () => (await query(`select from ${jobs}.jobs where key like '%left'`)).rows.length;
    await query(`update :schema.chores set done_at = now() - interval '50 seconds'`);
    expect([await forgotten(), await left()]).toEqual([0, 2]);
    await query(`update :schema.chores set done_at = now() - interval '61 seconds'`);
    expect([await forgotten(), await left()]).toEqual([0, 0]);
  });

  test('is deleted by an open replica', async () => {
    const { schema } = await agedSchema(100);
    const { store } = await openStore(postgres(), { schema, lease: '400ms' });
    const forgotten = () => store.counters().forgottenRecords ?? 0;
    await expect.poll(forgotten, { timeout: 20_000 }).toBe(many + 1 + 2 + 1 + 2 + 3);
  });
});
