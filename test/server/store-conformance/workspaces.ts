import { expect } from 'vitest';
import type { TemplateRecord } from '../../../src/server/model/records.js';
import { withContacts } from './events.js';
import { runNamed, start } from './journey-runs.js';
import { atOnce, listed, type Promises, workspaceRecord } from './opening.js';
import { outboxEvent, receive } from './receiving.js';
import { begin } from './sends.js';
import { subscription } from './subscriptions.js';

const template: TemplateRecord = {
  id: 'welcome',
  name: 'Welcome',
  language: 'en',
  status: 'approved',
  body: 'Welcome, {{1}}!',
  variables: ['1'],
};

export const workspacePromises: Promises = {
  'are found by the digest of each of their keys, and by no other': async ({ store, open }) => {
    const [one, two] = [await open(), await open()];
    await store.addApiKey(one.id, 'a');
    await store.addApiKey(one.id, 'b');
    await store.addApiKey(one.id, 'b');
    await store.addApiKey(two.id, 'c');
    expect(await store.findWorkspaceId('a')).toBe(one.id);
    expect(await store.findWorkspaceId('b')).toBe(one.id);
    expect(await store.findWorkspaceId('c')).toBe(two.id);
    for (const digest of ['d', '', 'A', '__proto__']) {
      expect(await store.findWorkspaceId(digest)).toBeUndefined();
    }
  },

  'lose a key once, and no key but their own': async ({ store, open }) => {
    const [one, two] = [await open(), await open()];
    await store.addApiKey(one.id, 'a');
    await store.addApiKey(one.id, 'b');
    expect(await store.removeApiKey(two.id, 'a')).toBe(false);
    expect(await store.removeApiKey('unheard_of', 'a')).toBe(false);
    expect(await store.findWorkspaceId('a')).toBe(one.id);
    const removals = await atOnce(5, () => store.removeApiKey(one.id, 'a'));
    expect(removals.filter(Boolean)).toHaveLength(1);
    expect(await store.findWorkspaceId('a')).toBeUndefined();
    expect(await store.findWorkspaceId('b')).toBe(one.id);
  },

  'take no key that opens another': async ({ store, open }) => {
    const [one, two] = [await open(), await open()];
    await store.addApiKey(one.id, 'a');
    await expect(store.addApiKey(two.id, 'a')).rejects.toThrow(Error);
    expect(await store.findWorkspaceId('a')).toBe(one.id);
    await store.deleteWorkspace(two.id);
    expect(await store.findWorkspaceId('a')).toBe(one.id);
    await store.removeApiKey(one.id, 'a');
    const three = await open();
    await store.addApiKey(three.id, 'a');
    expect(await store.findWorkspaceId('a')).toBe(three.id);
  },

  'are deleted with all that they hold, and their keys': async ({ store, open }) => {
    const [one, two] = [await open({ quota: 5, templates: [template] }), await open()];
    await store.addApiKey(one.id, 'a');
    await store.addApiKey(two.id, 'b');
    await one.contacts.upsert({ newId: 'c', phone: '+12025550100', properties: {} }, 'merge');
    await store.deleteWorkspace(one.id);
    await store.deleteWorkspace(one.id);
    await store.addApiKey(one.id, 'late');
    expect(await store.findWorkspaceId('a')).toBeUndefined();
    expect(await store.findWorkspaceId('late')).toBeUndefined();
    expect(await store.findWorkspaceId('b')).toBe(two.id);
    const again = await open({ id: one.id });
    expect(await listed(again.contacts)).toEqual([]);
    expect(await again.sends.readQuota()).toEqual({ quota: 0, addOnCredits: 0 });
    expect(await store.findWorkspaceId('a')).toBeUndefined();
  },

  'do not replace one with their id': async ({ open }) => {
    const workspace = await open({ quota: 5 });
    await expect(open({ id: workspace.id })).rejects.toThrow(Error);
    expect(await workspace.sends.readQuota()).toMatchObject({ quota: 5 });
  },

  'can be asked for while they are created': async ({ store }) => {
    const record = workspaceRecord({ quota: 5 });
    const created = store.createWorkspace(record);
    const workspace = store.workspace(record.id);
    await created;
    expect(await workspace.sends.readQuota()).toMatchObject({ quota: 5 });
  },

  'share nothing': async ({ open }) => {
    const one = await open({ templates: [template], quota: 5 });
    const two = await open();
    const newContact = { newId: 'c', phone: '+12025550100', properties: {} };
    const { contact } = await one.contacts.upsert(newContact, 'merge');
    expect(await two.contacts.findById(contact.id)).toBeUndefined();
    expect(await two.contacts.findByPhone(contact.phone)).toBeUndefined();
    expect(await two.deleteContact(contact.id)).toBe(false);
    expect(await two.templates.find(template.id)).toBeUndefined();
    await one.segments.put({ id: 'seen', event: 'seen', atLeast: 1 });
    await one.journeys.put({ id: 'greet', event: 'seen', steps: [] });
    expect([await two.templates.list(), await two.segments.list(), await two.journeys.list()]).toEqual([
      [],
      [],
      [],
    ]);
    expect(await two.sends.readQuota()).toEqual({ quota: 0, addOnCredits: 0 });
    expect(await one.contacts.findById(contact.id)).toEqual(contact);
  },

  'have forgotten nothing that they still hold, nor what was taken out of them': async (opening) => {
    const workspace = await withContacts(opening, { quota: 2 });
    const { claim } = await begin(workspace, 'rejected');
    await workspace.sends.settle(claim, { accepted: false, refund: false });
    await begin(workspace, 'kept');
    await start(workspace, runNamed('run'));
    await workspace.deleteContact('one');
    await workspace.subscriptions.create(subscription);
    await receive(workspace, outboxEvent());
    await workspace.deleteSubscription(subscription.id);
    expect(await workspace.countForgotten()).toEqual({ sends: 0, events: 0, deliveries: 0, journeyRuns: 0 });
  },
};
