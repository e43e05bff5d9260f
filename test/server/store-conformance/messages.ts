import { expect } from 'vitest';
import type { Consent } from '../../../src/server/model/records.js';
import type { WorkspaceStore } from '../../../src/server/store/store.js';
import { atOnce, listed, type Promises } from './opening.js';
import { outboxEvent, receive } from './receiving.js';
import { subscription } from './subscriptions.js';

const phone = '+12025550100';

/** A contact's message that asks for a consent, and emits an event where that changes it. */
const consenting = (workspace: WorkspaceStore, consent: Consent | undefined, newId = 'one') =>
  workspace.receiveMessage({
    contact: { newId, phone, properties: {} },
    consent,
    compose: (_, changed) => (changed ? [outboxEvent(0, 'contact.opted_out')] : []),
  });

export const messagePromises: Promises = {
  'make their sender a contact, once': async ({ open }) => {
    const workspace = await open();
    const received = await atOnce(20, (i) => consenting(workspace, undefined, `contact_${i}`));
    expect(received.filter(({ created }) => created)).toHaveLength(1);
    const [contact] = await listed(workspace.contacts);
    expect(contact).toMatchObject({ phone, properties: {}, consent: 'unknown' });
    for (const each of received) expect(each.contact).toEqual(contact);
  },

  'merge the properties of their sender, and are composed of the sender as they leave them': async ({
    open,
  }) => {
    const workspace = await open();
    await workspace.contacts.upsert({ newId: 'one', phone, properties: { a: 1, b: 1 } }, 'merge');
    const composed: unknown[] = [];
    const { contact, created, consentChanged } = await workspace.receiveMessage({
      contact: { newId: 'two', phone, properties: { b: 2, c: 3 } },
      consent: 'opted_in',
      compose: (...sender) => {
        composed.push(sender);
        return [];
      },
    });
    expect([created, consentChanged]).toEqual([false, true]);
    expect(composed.at(-1)).toEqual([contact, true]);
    expect(contact).toEqual({ id: 'one', phone, properties: { a: 1, b: 2, c: 3 }, consent: 'opted_in' });
    expect(await workspace.contacts.findById('one')).toEqual(contact);
  },

  'change a consent together with the deliveries that say so, and once': async ({ open }) => {
    const workspace = await open();
    await workspace.subscriptions.create({ ...subscription, events: ['contact.opted_out'] });
    const received = await atOnce(10, () => consenting(workspace, 'opted_out'));
    const changed = received.filter(({ consentChanged }) => consentChanged);
    expect(changed).toMatchObject([{ subscriptionIds: [subscription.id] }]);
    expect(await listed(workspace.outbox)).toHaveLength(1);
    expect(await workspace.contacts.findById('one')).toMatchObject({ consent: 'opted_out' });
    expect(await consenting(workspace, 'opted_in')).toMatchObject({ consentChanged: true });
    expect(await workspace.contacts.findByPhone(phone)).toMatchObject({ consent: 'opted_in' });
    expect(await consenting(workspace, undefined)).toMatchObject({ consentChanged: false });
    expect(await workspace.contacts.findByPhone(phone)).toMatchObject({ consent: 'opted_in' });
  },

  'change nothing where they cannot be composed': async ({ open }) => {
    const workspace = await open();
    const received = workspace.receiveMessage({
      contact: { newId: 'one', phone, properties: {} },
      consent: 'opted_out',
      compose: () => {
        throw new Error('no words');
      },
    });
    await expect(received).rejects.toThrow('no words');
    expect(await listed(workspace.contacts)).toEqual([]);
    expect(await consenting(workspace, 'opted_out')).toMatchObject({ created: true, consentChanged: true });
  },

  'keep a consent that properties change around': async ({ open }) => {
    const workspace = await open();
    await consenting(workspace, 'opted_out');
    await workspace.contacts.update('one', { a: 1 });
    await workspace.contacts.upsert({ newId: 'two', phone, properties: { b: 1 } }, 'merge');
    const expected = { id: 'one', phone, properties: { a: 1, b: 1 }, consent: 'opted_out' };
    expect(await workspace.contacts.findById('one')).toEqual(expected);
    const replaced = { newId: 'two', phone, properties: { c: 1 } };
    expect((await workspace.contacts.upsert(replaced, 'replace')).contact).toMatchObject({
      properties: { c: 1 },
      consent: 'opted_out',
    });
  },

  'put one delivery of each event into the outbox for each enabled subscription that wants it': async ({
    open,
  }) => {
    const workspace = await open();
    await workspace.subscriptions.create(subscription);
    await workspace.subscriptions.create({ ...subscription, id: 'also', managed: true, secret: 'whsec_2' });
    await workspace.subscriptions.create({ ...subscription, id: 'disabled', enabled: false });
    await workspace.subscriptions.create({ ...subscription, id: 'others', events: ['contact.opted_in'] });
    const event = outboxEvent(7);
    expect((await receive(workspace, event)).subscriptionIds).toEqual(['hooks', 'also']);
    const records = await listed(workspace.outbox);
    expect(new Set(records.map(({ id }) => id)).size).toBe(2);
    expect(records).toEqual(
      ['hooks', 'also'].map((subscriptionId) => ({
        id: expect.any(String),
        subscriptionId,
        event: 'message.received',
        url: subscription.url,
        body: event.body,
        status: 'pending',
        attempts: [],
        dueAt: 7,
        createdAt: 7,
      })),
    );
    expect((await receive(workspace, outboxEvent(0, 'contact.opted_out'))).subscriptionIds).toEqual([]);
  },

  'name a subscription once, however many of their events it wants': async ({ open }) => {
    const workspace = await open();
    await workspace.subscriptions.create({
      ...subscription,
      events: ['message.received', 'contact.opted_in'],
    });
    const { subscriptionIds } = await receive(workspace, outboxEvent(1), outboxEvent(2, 'contact.opted_in'));
    expect(subscriptionIds).toEqual([subscription.id]);
    expect((await listed(workspace.outbox)).map(({ event }) => event)).toEqual([
      'message.received',
      'contact.opted_in',
    ]);
  },
};
