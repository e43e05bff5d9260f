import { expect } from 'vitest';
import type { SendRecord } from '../../../src/server/model/records.js';
import { atOnce, type Promises } from './opening.js';

/** A send that is about to be. */
export function sendNamed(id: string): Omit<SendRecord, 'status' | 'paidBy'> {
  return {
    id,
    contactId: 'contact_1',
    phone: '+12025550100',
    templateId: 'welcome',
    variables: { '1': 'Ada' },
    text: 'Welcome, Ada!',
    sentAt: 1,
  };
}

const refused = (refund: boolean) => ({ accepted: false, refund }) as const;

export const sendPromises: Promises = {
  'take from the plan before the add-on credits, and never more than there is': async ({ open }) => {
    const workspace = await open({ quota: 2, addOnCredits: 1 });
    expect(await workspace.beginSend(sendNamed('a'))).toEqual({
      ...sendNamed('a'),
      status: 'pending',
      paidBy: 'plan',
    });
    expect(await workspace.beginSend(sendNamed('b'))).toMatchObject({ paidBy: 'plan' });
    expect(await workspace.beginSend(sendNamed('c'))).toMatchObject({ paidBy: 'add_on' });
    expect(await workspace.beginSend(sendNamed('d'))).toBeUndefined();
    expect(await workspace.readQuota()).toEqual({ quota: 0, addOnCredits: 0 });
    expect((await workspace.listSends()).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  },

  'begin as often as there is something to pay, however many want the last at once': async ({ open }) => {
    const workspace = await open({ quota: 3, addOnCredits: 2 });
    const sends = await atOnce(100, (i) => workspace.beginSend(sendNamed(`send_${i}`)));
    const countOf = (source: string | undefined) => sends.filter((send) => send?.paidBy === source).length;
    expect([countOf('plan'), countOf('add_on'), countOf(undefined)]).toEqual([3, 2, 95]);
    expect(await workspace.readQuota()).toEqual({ quota: 0, addOnCredits: 0 });
    expect(await workspace.listSends()).toHaveLength(5);
  },

  'that are accepted are sent, and stay paid': async ({ open }) => {
    const workspace = await open({ quota: 1 });
    const begun = await workspace.beginSend(sendNamed('a'));
    await workspace.settleSend('a', { accepted: true });
    expect(await workspace.listSends()).toEqual([{ ...begun, status: 'sent' }]);
    expect(await workspace.readQuota()).toEqual({ quota: 0, addOnCredits: 0 });
  },

  'that are rejected give back what they took to where they took it from': async ({ open }) => {
    const workspace = await open({ quota: 1, addOnCredits: 1 });
    await workspace.beginSend(sendNamed('a'));
    await workspace.beginSend(sendNamed('b'));
    await workspace.settleSend('b', refused(true));
    expect(await workspace.readQuota()).toEqual({ quota: 0, addOnCredits: 1 });
    await workspace.settleSend('a', refused(true));
    expect(await workspace.readQuota()).toEqual({ quota: 1, addOnCredits: 1 });
    expect(await workspace.listSends()).toEqual([]);
    expect(await workspace.beginSend(sendNamed('c'))).toMatchObject({ paidBy: 'plan' });
  },

  'that are rejected without a refund are forgotten, and stay paid': async ({ open }) => {
    const workspace = await open({ quota: 1 });
    await workspace.beginSend(sendNamed('a'));
    await workspace.settleSend('a', refused(false));
    expect(await workspace.listSends()).toEqual([]);
    expect(await workspace.readQuota()).toEqual({ quota: 0, addOnCredits: 0 });
  },

  'are settled once, whatever is said afterwards': async ({ open }) => {
    const workspace = await open({ quota: 2 });
    await workspace.beginSend(sendNamed('a'));
    await workspace.beginSend(sendNamed('b'));
    await workspace.settleSend('a', { accepted: true });
    await atOnce(5, () => workspace.settleSend('a', refused(true)));
    await atOnce(5, () => workspace.settleSend('b', refused(true)));
    await workspace.settleSend('b', { accepted: true });
    await workspace.settleSend('unheard_of', refused(true));
    expect(await workspace.readQuota()).toEqual({ quota: 1, addOnCredits: 0 });
    expect(await workspace.listSends()).toMatchObject([{ id: 'a', status: 'sent' }]);
  },

  'come out even when beginning and giving back run at once': async ({ open }) => {
    const workspace = await open({ quota: 10, addOnCredits: 5 });
    await atOnce(100, async (i) => {
      const send = await workspace.beginSend(sendNamed(`send_${i}`));
      if (send !== undefined) await workspace.settleSend(send.id, refused(true));
    });
    expect(await workspace.readQuota()).toEqual({ quota: 10, addOnCredits: 5 });
    expect(await workspace.listSends()).toEqual([]);
  },

  'are listed in the order in which they began, also after their contact is gone': async ({ open }) => {
    const workspace = await open({ quota: 3 });
    const { contactId, phone } = sendNamed('a');
    await workspace.upsertContact({ newId: contactId, phone, properties: {} }, 'merge');
    for (const id of ['b', 'a', 'c']) await workspace.beginSend(sendNamed(id));
    for (const id of ['c', 'b', 'a']) await workspace.settleSend(id, { accepted: true });
    await workspace.deleteContact(contactId);
    expect((await workspace.listSends()).map(({ id }) => id)).toEqual(['b', 'a', 'c']);
  },

  'are paid from what is set, of the plan or the add-on credits alone too': async ({ open }) => {
    const workspace = await open({ quota: 1, addOnCredits: 1 });
    expect(await workspace.setQuota({ quota: 0 })).toEqual({ quota: 0, addOnCredits: 1 });
    expect(await workspace.beginSend(sendNamed('a'))).toMatchObject({ paidBy: 'add_on' });
    expect(await workspace.setQuota({ addOnCredits: 5 })).toEqual({ quota: 0, addOnCredits: 5 });
    expect(await workspace.setQuota({ quota: 1, addOnCredits: 0 })).toEqual({ quota: 1, addOnCredits: 0 });
    expect(await workspace.beginSend(sendNamed('b'))).toMatchObject({ paidBy: 'plan' });
    expect(await workspace.beginSend(sendNamed('c'))).toBeUndefined();
    await workspace.settleSend('a', refused(true));
    expect(await workspace.readQuota()).toEqual({ quota: 0, addOnCredits: 1 });
    expect((await workspace.readState()).workspace).toMatchObject({ quota: 1, addOnCredits: 1 });
  },
};
