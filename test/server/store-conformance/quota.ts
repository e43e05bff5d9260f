import { describe, expect, test } from 'vitest';
import type { SendRecord } from '../../../src/server/store/records.js';
import type { OpenWorkspace } from './opening.js';

const send: SendRecord = {
  id: 'send_1',
  contactId: 'contact_1',
  phone: '+12025550100',
  templateId: 'welcome',
  variables: { '1': 'Ada' },
  text: 'Welcome, Ada!',
  paidBy: 'plan',
  sentAt: 1,
};

export function quotaPromises(open: OpenWorkspace): void {
  describe('the quota', () => {
    test('is spent before the add-on credits, and both never below zero', async () => {
      const workspace = await open({ quota: 2, addOnCredits: 1 });
      const spent = [];
      for (let i = 0; i < 4; i += 1) spent.push(await workspace.spendQuota());
      expect(spent).toEqual(['plan', 'plan', 'add_on', undefined]);
      expect(await workspace.readQuota()).toEqual({ quota: 0, addOnCredits: 0 });
    });

    test('lets as many through as there are, however many spend the last at once', async () => {
      const workspace = await open({ quota: 3, addOnCredits: 2 });
      const spent = await Promise.all(Array.from({ length: 100 }, () => workspace.spendQuota()));
      const countOf = (source: string | undefined) => spent.filter((each) => each === source).length;
      expect([countOf('plan'), countOf('add_on'), countOf(undefined)]).toEqual([3, 2, 95]);
    });

    test('is given back to where it was taken from', async () => {
      const workspace = await open({ quota: 1, addOnCredits: 1 });
      await workspace.spendQuota();
      await workspace.spendQuota();
      await workspace.refundQuota('add_on');
      expect(await workspace.readQuota()).toEqual({ quota: 0, addOnCredits: 1 });
      await workspace.refundQuota('plan');
      expect(await workspace.readQuota()).toEqual({ quota: 1, addOnCredits: 1 });
      expect(await workspace.spendQuota()).toBe('plan');
    });

    test('comes out even when spending and giving back run at once', async () => {
      const workspace = await open({ quota: 10, addOnCredits: 5 });
      await Promise.all(
        Array.from({ length: 100 }, async () => {
          const source = await workspace.spendQuota();
          if (source !== undefined) await workspace.refundQuota(source);
        }),
      );
      expect(await workspace.readQuota()).toEqual({ quota: 10, addOnCredits: 5 });
    });
  });

  describe('sends', () => {
    test('are listed in the order in which they were recorded, also after their contact is gone', async () => {
      const workspace = await open();
      await workspace.upsertContact({ newId: send.contactId, phone: send.phone, properties: {} });
      const sends = ['b', 'a', 'c'].map((id) => ({ ...send, id }));
      for (const each of sends) await workspace.recordSend(each);
      await workspace.deleteContact(send.contactId);
      expect(await workspace.listSends()).toEqual(sends);
    });
  });
}
