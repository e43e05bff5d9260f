import { describe, expect, test } from 'vitest';
import type { WorkspaceStore } from '../../../src/server/store/store.js';
import { eventNamed } from '../../server/store-conformance/events.js';
import { runNamed, start } from '../../server/store-conformance/journey-runs.js';
import { claimOf, listed, workspaceRecord } from '../../server/store-conformance/opening.js';
import { outboxEvent, receive, statusesOf } from '../../server/store-conformance/receiving.js';
import { sendNamed } from '../../server/store-conformance/sends.js';
import { subscription } from '../../server/store-conformance/subscriptions.js';
import { missingPostgres, usePostgres } from '../support/database.js';
import { useReplicas } from '../support/spread-store.js';

const phones = { bad: '+12025550100', good: '+12025550101' };

describe.skipIf(missingPostgres)('a row that cannot be read is set aside and named', () => {
  const openReplicas = useReplicas(usePostgres());

  /** Two replicas and two workspaces with the same content: two of each kind. `spoil` spoils a row of the first workspace. */
  async function open() {
    const told: string[] = [];
    const onFailure = (error: unknown) => void told.push(String(error));
    const { replicas, database, endLeases } = await openReplicas(2, { onFailure });
    const [one, two] = [claimOf(replicas[0]), claimOf(replicas[1])];
    const template = { name: 't', language: 'en', status: 'approved' as const, body: 'Hello', variables: [] };
    const journey = { event: 'seen', steps: [] };
    const record = {
      quota: 9,
      templates: ['bad', 'good'].map((id) => ({ ...template, id })),
      journeys: ['bad', 'good'].map((id) => ({ ...journey, id })),
    };
    const add = async () => {
      const added = workspaceRecord(record);
      await one.createWorkspace(added);
      const workspace = one.workspace(added.id);
      for (const [newId, phone] of Object.entries(phones)) {
        await workspace.contacts.upsert({ newId, phone, properties: {} }, 'merge');
        await start(workspace, runNamed(`run of ${newId}`, newId));
        await workspace.subscriptions.create({ ...subscription, id: newId });
      }
      for (const id of ['bad', 'good']) await workspace.recordEvent(eventNamed(id, 'good'));
      await receive(workspace, outboxEvent(), outboxEvent());
      return [workspace, two.workspace(added.id)] as const;
    };
    const [[spoilt, elsewhere], [other]] = [await add(), await add()];
    const run = (sql: string) => database.query(sql, [spoilt.id]);
    const spoil = (table: string, change: string, condition = "id = 'bad'") =>
      run(
        `update :schema.${table} set ${change} where ${condition}
         and workspace = (select number from :schema.workspaces where id = $1)`,
      );
    const setAside = async () => {
      const rows = await run(
        'select kind, set_aside.id from :schema.set_aside join :schema.workspaces on number = workspace where workspaces.id = $1',
      );
      return rows.map((row) => Object.values(Object(row)).join(' ')).sort();
    };
    return { one, spoilt, elsewhere, other, told, run, spoil, setAside, endLeases };
  }

  /** What each of the workspaces shows, one after the other. */
  async function both<Shown>(
    workspaces: readonly WorkspaceStore[],
    look: (workspace: WorkspaceStore) => Promise<Shown>,
  ): Promise<readonly Shown[]> {
    const shown: Shown[] = [];
    for (const workspace of workspaces) shown.push(await look(workspace));
    return shown;
  }

  test('of an event, and the next one is claimed', async () => {
    const { spoilt, elsewhere, other, told, spoil, setAside } = await open();
    await spoil('events', "properties = 'null'");
    expect(
      await both([spoilt, elsewhere, other], async ({ events }) => (await events.claimNext())?.event.id),
    ).toEqual(['good', undefined, 'bad']);
    expect((await listed(elsewhere.events)).map(({ id }) => id)).not.toContain('bad');
    expect(await setAside()).toEqual(['events bad']);
    expect(told).toEqual([
      expect.stringMatching(
        /"bad" of events in the workspace "workspace_\d+" cannot be read.*"properties".*set_aside/,
      ),
    ]);
  });

  test('of a journey run or a send, and the others are claimed', async () => {
    const { spoilt, elsewhere, other, spoil, setAside, endLeases } = await open();
    for (const workspace of [spoilt, other]) {
      for (const id of ['bad', 'good'])
        await workspace.sends.begin({ ...sendNamed(id), journeyRunId: id }, 0);
    }
    await endLeases();
    await spoil('sends', "record = '{}'");
    await spoil('journey_runs', "record = '3'", "id = 'run of bad'");
    expect(await elsewhere.sends.findOfStep('bad', 0)).toBeUndefined();
    expect(await both([spoilt, other], async ({ sends }) => (await sends.claimAbandoned())?.send.id)).toEqual(
      ['good', 'bad'],
    );
    expect(await elsewhere.journeys.claimRun('run of bad', 10)).toBeUndefined();
    expect(await elsewhere.journeys.claimRun('run of good', 10)).toBeDefined();
    expect(await other.journeys.claimRun('run of bad', 10)).toBeDefined();
    expect(await setAside()).toEqual(['journey_runs run of bad', 'sends bad']);
  });

  test.each([
    ['due_at', "update :schema.deliveries set due_at = '-Infinity'"],
    ['created_at', "update :schema.messages set created_at = 'NaN'"],
    ['event', "update :schema.messages set event = 'unheard of'"],
  ])('of a delivery with another %s, and what was claimed with it is delivered', async (_, change) => {
    const { one, spoilt, elsewhere, other, told, run, setAside, endLeases } = await open();
    // A redelivery has a message of its own.
    for (const { outbox } of [spoilt, other]) {
      const [first] = await listed(outbox);
      await outbox.redeliver(claimOf(first).id, 'again', 1);
    }
    await run(`${change} where (workspace, place) in (
        select w.number, d.place from :schema.workspaces w join :schema.deliveries d on d.workspace = w.number and d.id = 'again'
        where w.id = $1
      )`);
    const subscriptions = ['bad', 'good'];
    const claims = await both([spoilt, other], async ({ outbox }) =>
      (await Promise.all(subscriptions.map((id) => outbox.claimDue(id, 9, 9)))).map((each) => each.length),
    );
    expect(claims).toEqual([
      [2, 2],
      [3, 2],
    ]);
    expect(await setAside()).toEqual(['deliveries again']);
    const claimed = 'select from :schema.claims c join :schema.workspaces w on w.number = c.workspace';
    expect(await run(`${claimed} where w.id = $1 and c.id = 'again'`)).toEqual([]);
    expect(told).toHaveLength(1);
    await endLeases();
    await one.renewLeases();
    expect(await elsewhere.outbox.claimDue('bad', 9, 9)).toEqual([]);
    expect(await statusesOf(elsewhere)).toHaveLength(4);
  });

  test.each(['null', '{}'])(
    'of a subscription with %s, with what waits for it, and messages are delivered to the others',
    async (record) => {
      const { spoilt, elsewhere, other, spoil, setAside } = await open();
      await spoil('subscriptions', `record = '${record}'`);
      for (const workspace of [spoilt, other]) await receive(workspace, outboxEvent());
      expect(
        await both([elsewhere, other], async ({ subscriptions }) => (await subscriptions.list()).length),
      ).toEqual([1, 2]);
      expect(await both([elsewhere, other], async ({ outbox }) => (await listed(outbox)).length)).toEqual([
        3, 6,
      ]);
      expect(await elsewhere.outbox.claimDue('bad', 9, 9)).toEqual([]);
      expect((await setAside()).map((each) => each.split(' ')[0])).toEqual([
        'deliveries',
        'deliveries',
        'subscriptions',
      ]);
    },
  );

  test('of a subscription at the claim of its deliveries', async () => {
    const { spoilt, other, spoil, setAside } = await open();
    await spoil('subscriptions', "record = 'null'");
    expect(
      await both([spoilt, other], async ({ outbox }) => (await outbox.claimDue('bad', 9, 9)).length),
    ).toEqual([0, 2]);
    expect(await spoilt.outbox.claimDue('good', 9, 9)).toHaveLength(2);
    expect(await setAside()).toHaveLength(3);
  });

  test('of a contact, with its events and runs, and its phone is free', async () => {
    const { spoilt, elsewhere, other, spoil, setAside } = await open();
    await spoil('contacts', "properties = 'null'");
    const upsert = ({ contacts }: WorkspaceStore, newId: string) =>
      contacts.upsert({ newId, phone: phones.bad, properties: { a: 1 } }, 'merge');
    expect(
      await both([elsewhere, other], async ({ contacts }) => (await contacts.findById('bad'))?.id),
    ).toEqual([undefined, 'bad']);
    expect(await setAside()).toEqual(['contacts bad', 'events before_run of bad', 'journey_runs run of bad']);
    expect(await upsert(spoilt, 'new')).toMatchObject({ created: true, contact: { id: 'new' } });
    await spoil('contacts', "properties = '[1]'", "id = 'new'");
    await spoil('contacts', "properties = 'true'", "id = 'new'");
    expect(await upsert(elsewhere, 'newer')).toMatchObject({ created: true, contact: { id: 'newer' } });
    await spoil('contacts', "properties = 'null'", "id = 'newer'");
    await receive(spoilt, outboxEvent());
    expect((await listed(elsewhere.contacts)).map(({ id }) => id)).not.toContain('newer');
  });

  test('of a definition or of a state, and the others are read', async () => {
    const { spoilt, elsewhere, other, spoil, setAside, run } = await open();
    await spoil('definitions', "record = 'null'");
    expect(await both([spoilt, other], async ({ templates }) => (await templates.list()).length)).toEqual([
      1, 2,
    ]);
    expect(await elsewhere.journeys.listStartedBy('seen')).toMatchObject([{ id: 'good' }]);
    expect(await setAside()).toEqual(['definitions bad', 'definitions bad']);
    await spoil('contacts', "properties = 'null'");
    await listed(spoilt.outbox);
    await spoil('deliveries', "due_at = 'NaN'", "subscription_id = 'bad'");
    const { contacts, events, journeyRuns, deliveries } = await elsewhere.readState();
    expect([contacts, events, journeyRuns, deliveries].map(({ length }) => length)).toEqual([2, 3, 1, 2]);
    // As the guide says, an operator corrects a row and puts it back.
    await run(`update :schema.set_aside set content = replace(content, 'NaN', '0') where $1 <> ''`);
    await run(`insert into :schema.deliveries
      select (content:::schema.deliveries).* from :schema.set_aside where kind = 'deliveries' and $1 <> ''`);
    expect(await statusesOf(elsewhere)).toHaveLength(4);
    expect((await other.readState()).contacts).toHaveLength(3);
  });
});
