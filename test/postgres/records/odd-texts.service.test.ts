import { describe, expect, test } from 'vitest';
import { eventNamed, processAll } from '../../server/store-conformance/events.js';
import { claimOf, listed, workspaceRecord } from '../../server/store-conformance/opening.js';
import { outboxEvent, receive } from '../../server/store-conformance/receiving.js';
import { sendNamed } from '../../server/store-conformance/sends.js';
import { subscription } from '../../server/store-conformance/subscriptions.js';
import { missingPostgres, usePostgres } from '../support/database.js';
import { useReplicas } from '../support/spread-store.js';

const odd = [
  '\0',
  'a\0b',
  '\ud800',
  'a\udc00b',
  '\\',
  '\\0000',
  '\\ud800',
  '{"a"}',
  "'",
  '"',
  '😀',
  'null',
  'NULL',
  '',
];
const long = 'a'.repeat(100_000);

describe.skipIf(missingPostgres)('a value that a column cannot hold as it is', () => {
  const openReplicas = useReplicas(usePostgres());

  /** Two replicas over an empty schema. */
  async function open() {
    const { replicas } = await openReplicas(2);
    return [claimOf(replicas[0]), claimOf(replicas[1])] as const;
  }

  test('is a text that names an event, and is counted by it', async () => {
    const [replica, elsewhere] = await open();
    const record = workspaceRecord({
      journeys: [...odd, long].map((event, id) => ({ id: String(id), event, steps: [] })),
    });
    const plain = workspaceRecord();
    for (const each of [record, plain]) await replica.createWorkspace(each);
    const workspace = replica.workspace(record.id);
    const [beside, other] = [replica.workspace(plain.id), elsewhere.workspace(plain.id)];
    for (const { contacts } of [workspace, other])
      await contacts.upsert({ newId: 'one', phone: '+12025550100', properties: {} }, 'merge');
    for (const [id, event] of [...odd, long].entries()) {
      const properties = { [event]: event, nested: { [event]: [event] } };
      const recorded = await Promise.all([
        workspace.recordEvent({ id: String(id), contactId: 'one', event, properties, acceptedAt: 1 }),
        beside.recordEvent(eventNamed(`beside ${id}`)),
        other.recordEvent(eventNamed(`other ${id}`)),
      ]);
      expect(recorded).toEqual([true, true, true]);
    }
    const names = (await listed(workspace.events)).map(({ event }) => event);
    expect(names).toEqual([...odd, long]);
    await Promise.all([processAll(elsewhere.workspace(record.id)), processAll(other)]);
    expect(await beside.events.count('one', 'seen', 0)).toBe(2 * names.length);
    for (const [id, event] of [...odd, long].entries()) {
      expect(await workspace.events.count('one', event, Number.NEGATIVE_INFINITY)).toBe(1);
      expect(await workspace.journeys.listStartedBy(event)).toEqual([{ id: String(id), event, steps: [] }]);
    }
    const state = await workspace.readState();
    await workspace.replaceState(state);
    expect(await workspace.readState()).toEqual(state);
    expect(state.events.map(({ properties }) => JSON.stringify(properties))).toEqual(
      [...odd, long].map((event) => JSON.stringify({ [event]: event, nested: { [event]: [event] } })),
    );
  });

  test('is a text that finds, as an id, a phone or a key, only what has it', async () => {
    const [replica, elsewhere] = await open();
    for (const id of odd) {
      const record = workspaceRecord({ id, quota: 1 });
      expect(await replica.findWorkspaceId(id)).toBeUndefined();
      await replica.createWorkspace(record);
      await replica.addApiKey(id, id);
      expect(await elsewhere.findWorkspaceId(id)).toBe(id);
      const workspace = replica.workspace(id);
      expect(await workspace.contacts.findById(id)).toBeUndefined();
      expect(await workspace.contacts.findByPhone(id)).toBeUndefined();
      expect(await workspace.contacts.update(id, {})).toBeUndefined();
      expect(await workspace.templates.find(id)).toBeUndefined();
      expect(await workspace.deleteContact(id)).toBe(false);
      expect(await workspace.deleteSubscription(id)).toBe(false);
      expect(await workspace.outbox.claimDue(id, 0, 1)).toEqual([]);
      expect(await workspace.outbox.redeliver(id, id, 0)).toBeUndefined();
      const contact = { id, phone: id, properties: { [id]: id }, consent: 'unknown' };
      await workspace.contacts.upsert({ newId: id, phone: id, properties: { [id]: id } }, 'merge');
      expect(await workspace.contacts.findById(id)).toEqual(contact);
      expect(await workspace.contacts.findByPhone(id)).toEqual(contact);
      await workspace.subscriptions.create({ ...subscription, id, secret: id, url: id });
      await receive(workspace, outboxEvent());
      const [claimed] = await workspace.outbox.claimDue(id, 0, 1);
      expect(claimed).toMatchObject({ secret: id, delivery: { subscriptionId: id, url: id } });
      const attempt = { number: 1, startedAt: 1, signature: id, response: id, error: id };
      await workspace.outbox.recordAttempt(claimOf(claimed).claim, attempt, { status: 'failed' });
      expect(await listed(workspace.outbox)).toMatchObject([{ attempts: [attempt] }]);
      const send = { ...sendNamed(id), text: id, variables: { [id]: id } };
      const begun = claimOf(await workspace.sends.begin(send));
      expect(await workspace.sends.settle(begun.claim, { accepted: true })).toBe(true);
      expect(await listed(workspace.sends)).toMatchObject([send]);
    }
    for (const id of odd) {
      const { contacts, sends } = elsewhere.workspace(id);
      expect((await listed(contacts)).map(({ phone }) => phone)).toContain(id);
      expect((await listed(sends)).map(({ text }) => text)).toEqual([id]);
    }
  });

  test('is kept, with the order of fields, the bytes of bodies and the digits of numbers', async () => {
    const [replica, elsewhere] = await open();
    const record = workspaceRecord();
    await replica.createWorkspace(record);
    const workspace = replica.workspace(record.id);
    const properties = JSON.parse(
      '{"b":1e21,"a":-0.1,"__proto__":"x","10":0.1,"c":123456789012345680000,"d":5e-324}',
    );
    await workspace.contacts.upsert({ newId: 'one', phone: '+12025550100', properties }, 'merge');
    const contact = await elsewhere.workspace(record.id).contacts.findById('one');
    expect(JSON.stringify(contact?.properties)).toBe(JSON.stringify(properties));

    await workspace.subscriptions.create(subscription);
    const body = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const createdAt = 1_767_225_600_000.123;
    await receive(workspace, { ...outboxEvent(createdAt), body });
    await receive(workspace, { ...outboxEvent(createdAt), body: new Uint8Array() });
    const [full, empty] = await listed(workspace.outbox);
    expect(full).toMatchObject({ createdAt, dueAt: createdAt });
    expect(Object.getPrototypeOf(full?.body)).toBe(Uint8Array.prototype);
    expect([full?.body, empty?.body]).toEqual([body, new Uint8Array()]);
    const state = await workspace.readState();
    await workspace.replaceState(state);
    expect((await listed(workspace.outbox)).map((delivery) => delivery.body)).toEqual([
      body,
      new Uint8Array(),
    ]);
  });
});
