import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { PageRange } from '../../../src/server/model/page.js';
import type { WorkspaceStore } from '../../../src/server/store/store.js';
import { eventNamed, withContacts } from '../../server/store-conformance/events.js';
import { claimOf, openingOf } from '../../server/store-conformance/opening.js';
import { missingPostgres, usePostgres } from '../support/database.js';
import { untilItHolds } from '../support/replicas.js';
import { useReplicas } from '../support/spread-store.js';

describe.skipIf(missingPostgres)('pages of two replicas', () => {
  const postgres = usePostgres();
  const openReplicas = useReplicas(postgres);

  async function openBoth() {
    const { replicas, endLeases, database } = await openReplicas(2);
    const store = claimOf(replicas[0]);
    const first = await withContacts(openingOf({ store, endLeases }), { quota: 10 });
    const other = await withContacts(openingOf({ store, endLeases }));
    const second = claimOf(replicas[1]);
    return {
      both: [first, second.workspace(first.id)] as const,
      other: second.workspace(other.id),
      database,
    };
  }

  /** Another program's transaction, which holds what the next statement needs. */
  async function hold(text: string) {
    const client = new Client({ connectionString: postgres().connectionString });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query('begin');
    await client.query(text);
    return client;
  }

  const idsOf = async ({ events }: WorkspaceStore, range: PageRange) => {
    const { data, cursor } = await events.page({}, range);
    return { ids: data.map(({ id }) => id), after: Number(cursor) };
  };

  test('skip no record that is numbered earlier and committed later, and wait for no other workspace', async () => {
    const { both, other, database } = await openBoth();
    const [one, two] = both;
    const waiting = async () => {
      const [row] = await database.query(
        "select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
      );
      return (row as { count: number }).count;
    };
    await one.recordEvent(eventNamed('first'));
    // A row with the id of the next event, so that its statement waits after it has numbered its row.
    const held = await hold(
      `insert into ${database.schema}.events (workspace, id, contact_id, event, accepted_at, properties)
       select number, 'late', 'one', 'seen', 1, '{}' from ${database.schema}.workspaces where id = '${one.id}'`,
    );
    const late = one.recordEvent(eventNamed('late'));
    await untilItHolds('the event waits', async () => (await waiting()) === 1);
    await two.recordEvent(eventNamed('early'));
    const page = idsOf(two, { after: 0, limit: 10 });
    await untilItHolds('the page waits', async () => (await waiting()) === 2);
    await other.recordEvent(eventNamed('of another workspace'));
    expect((await idsOf(other, { after: 0, limit: 10 })).ids).toEqual(['of another workspace']);
    await held.query('rollback');
    expect(await late).toBe(true);
    const { ids, after } = await page;
    expect(ids).toEqual(['first', 'late', 'early']);
    expect(await idsOf(one, { after, limit: 10 })).toEqual({ ids: [], after });
  });

  test('have the same cursors, which continue after deletions at another replica', async () => {
    const { both, other } = await openBoth();
    const [one, two] = both;
    for (const id of ['a', 'b', 'c', 'd']) await other.recordEvent(eventNamed(id));
    const beside = await idsOf(other, { after: 0, limit: 3 });
    for (const id of ['a', 'b', 'c', 'd']) await one.recordEvent(eventNamed(id, id < 'c' ? 'one' : 'two'));
    const { ids, after } = await idsOf(one, { after: 0, limit: 3 });
    expect(await idsOf(two, { after: 0, limit: 3 })).toEqual({ ids, after });
    await two.deleteContact('one');
    await two.recordEvent(eventNamed('e', 'two'));
    for (const each of both) expect((await idsOf(each, { after, limit: 3 })).ids).toEqual(['d', 'e']);
    expect(await idsOf(other, { after: 0, limit: 3 })).toEqual(beside);
    expect((await idsOf(other, { after: beside.after, limit: 3 })).ids).toEqual(['d']);
  });
});
