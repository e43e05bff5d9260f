import { describe, expect, test } from 'vitest';
import type { TemplateRecord } from '../../../src/server/store/records.js';
import { type CreateStore, workspaceRecord } from './opening.js';

const template: TemplateRecord = {
  id: 'welcome',
  name: 'Welcome',
  language: 'en',
  status: 'approved',
  body: 'Welcome, {{1}}!',
  variables: ['1'],
};

export function workspacePromises(createStore: CreateStore): void {
  describe('workspaces', () => {
    test('are found by the digest of each of their keys, and by no other', async () => {
      const store = await createStore();
      await store.createWorkspace(workspaceRecord({ id: 'one', apiKeyDigests: ['a', 'b'] }));
      await store.createWorkspace(workspaceRecord({ id: 'two', apiKeyDigests: ['c'] }));
      expect((await store.findWorkspace('a'))?.id).toBe('one');
      expect((await store.findWorkspace('b'))?.id).toBe('one');
      expect((await store.findWorkspace('c'))?.id).toBe('two');
      for (const digest of ['d', '', 'A', '__proto__']) {
        expect(await store.findWorkspace(digest)).toBeUndefined();
      }
    });

    test('are the same, whether just created or found', async () => {
      const store = await createStore();
      const created = await store.createWorkspace(workspaceRecord({ quota: 1, apiKeyDigests: ['same'] }));
      await created.spendQuota();
      expect(await (await store.findWorkspace('same'))?.readQuota()).toEqual({ quota: 0, addOnCredits: 0 });
    });

    test('share nothing', async () => {
      const store = await createStore();
      const one = await store.createWorkspace(workspaceRecord({ templates: [template], quota: 5 }));
      const two = await store.createWorkspace(workspaceRecord());
      const { contact } = await one.upsertContact({ newId: 'c', phone: '+12025550100', properties: {} });
      expect(await two.findContactById(contact.id)).toBeUndefined();
      expect(await two.findContactByPhone(contact.phone)).toBeUndefined();
      expect(await two.deleteContact(contact.id)).toBe(false);
      expect(await two.findTemplate(template.id)).toBeUndefined();
      expect(await two.readQuota()).toEqual({ quota: 0, addOnCredits: 0 });
      expect(await one.findContactById(contact.id)).toEqual(contact);
    });

    test('list their templates in order, and find each by its id', async () => {
      const templates = ['b', 'a', 'c'].map((id) => ({ ...template, id }));
      const workspace = await (await createStore()).createWorkspace(workspaceRecord({ templates }));
      expect(await workspace.listTemplates()).toEqual(templates);
      expect(await workspace.findTemplate('a')).toEqual(templates[1]);
      expect(await workspace.findTemplate('constructor')).toBeUndefined();
    });
  });
}
