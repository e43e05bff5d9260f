import { describe, expect, test } from 'vitest';
import type { JournalEntry } from '../../src/server/model/journal-entry.js';
import { missingPostgres, usePostgres } from './support/database.js';
import { emptyWorkspace, Replicas, waitingWorkspace } from './support/replicas.js';

const message: JournalEntry = {
  type: 'message',
  at: 1,
  messageId: 'message',
  contactId: 'contact',
  phone: '+15551234567',
  body: 'Hello',
};

describe.skipIf(missingPostgres)('what is over and old', () => {
  const postgres = usePostgres();

  test('is deleted, and counted, and what waits stays', async () => {
    const { connectionString, freshSchema, server } = postgres();
    const schema = await freshSchema();
    const options = { connectionString, schema, lease: '400ms' } as const;
    {
      await using replicas = new Replicas();
      const { store } = await replicas.open({ ...options, lease: '10m' });
      const { state, ...rest } = waitingWorkspace(
        { deliveries: 9_000_000_000_000, run: 9_000_000_000_000 },
        'w',
      );
      const [delivery] = state.deliveries;
      const [run] = state.journeyRuns;
      if (delivery === undefined || run === undefined) throw new Error('Nothing waits.');
      const { dueAt: _, ...over } = { ...delivery, status: 'delivered' as const };
      const overs = Array.from({ length: 1_500 }, (__, index) => ({ ...over, id: `over ${index}` }));
      await store.addWorkspace({
        ...rest,
        state: {
          ...state,
          deliveries: [delivery, ...overs],
          journeyRuns: [run, { ...run, id: 'over', status: 'finished' }],
        },
      });
      await store.addWorkspace(emptyWorkspace('v'));
      await store.workspace('w').journal.append({ number: 1, entries: [message, message] });
      await store.workspace('v').journal.append({ number: 1, entries: [message] });
      for (const [table, column] of [
        ['deliveries', 'written_at'],
        ['journey_runs', 'written_at'],
        ['journal', 'at'],
        ['journal_writers', 'written_at'],
      ]) {
        await server.pool.query(`update "${schema}".${table} set ${column} = now() - interval '100 days'`);
      }
      await store.workspace('w').journal.append({ number: 1, entries: [message] });
      // What a replica leaves that dies in the middle of a job.
      await server.pool.query(
        `select "${schema}".add_due_jobs(array[number], array['events'], array['left'], array[now() + interval '1 day'])
         from "${schema}".workspaces where id = 'w'`,
      );
      await server.pool.query(
        `update "${schema}_jobs"._private_jobs
         set locked_at = now() - interval '2 minutes', locked_by = 'dead', attempts = 1
         where key like '%left'`,
      );
    }

    await using replicas = new Replicas();
    const { store } = await replicas.open(options);
    while ((store.counters().forgottenRecords ?? 0) < 1_504) await store.health();
    const { outbox, journeys, journal } = store.workspace('w');
    expect((await outbox.list()).map(({ id }) => id)).toEqual(['delivery']);
    expect((await journeys.listRuns()).map(({ id }) => id)).toEqual(['run']);
    expect(await journal.readAfter(0, 10)).toMatchObject({
      entries: [[3, message]],
      latestGone: 2,
      latest: 3,
    });
    expect(await store.workspace('v').journal.readAfter(0, 10)).toMatchObject({ entries: [], latestGone: 1 });
    expect(await store.workspace('w').countForgotten()).toEqual({
      sends: 0,
      deliveries: 1_500,
      journeyRuns: 1,
    });
    const { rows } = await server.pool.query(`select from "${schema}_jobs".jobs where key like '%left'`);
    expect(rows).toEqual([]);
    const writers = await server.pool.query(`select from "${schema}".journal_writers`);
    expect(writers.rows).toHaveLength(1);
  });
});
