import { expect } from 'vitest';
import type { ClaimedSend, NewSend, WorkspaceStore } from '../../../src/server/store/store.js';
import { atOnce, claimOf, listed, type Promises, unknownClaim } from './opening.js';

/** A send that is about to be. */
export function sendNamed(id: string): NewSend {
  return {
    id,
    contactId: 'contact_1',
    phone: '+12025550100',
    templateId: 'welcome',
    variables: { '1': 'Ada' },
    text: 'Welcome, Ada!',
    toOptedOut: true,
    sentAt: 1,
  };
}

/** Begins a send that can be paid. */
export async function begin(workspace: WorkspaceStore, id: string): Promise<ClaimedSend> {
  return claimOf(await workspace.sends.begin(sendNamed(id)));
}

const refused = (refund: boolean) => ({ accepted: false, refund }) as const;

export const sendPromises: Promises = {
  'take from the plan before the add-on credits, and never more than there is': async ({ open }) => {
    const workspace = await open({ quota: 2, addOnCredits: 1 });
    expect((await begin(workspace, 'a')).send).toEqual({
      ...sendNamed('a'),
      status: 'pending',
      paidBy: 'plan',
    });
    expect((await begin(workspace, 'b')).send).toMatchObject({ paidBy: 'plan' });
    expect((await begin(workspace, 'c')).send).toMatchObject({ paidBy: 'add_on' });
    expect(await workspace.sends.begin(sendNamed('d'))).toBeUndefined();
    expect(await workspace.sends.readQuota()).toEqual({ quota: 0, addOnCredits: 0 });
    expect((await listed(workspace.sends)).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  },

  'begin as often as there is something to pay, however many want the last at once': async ({ open }) => {
    const workspace = await open({ quota: 3, addOnCredits: 2 });
    const sends = await atOnce(100, (i) => workspace.sends.begin(sendNamed(`send_${i}`)));
    const countOf = (source: string | undefined) =>
      sends.filter((begun) => begun?.send.paidBy === source).length;
    expect([countOf('plan'), countOf('add_on'), countOf(undefined)]).toEqual([3, 2, 95]);
    expect(await workspace.sends.readQuota()).toEqual({ quota: 0, addOnCredits: 0 });
    expect(await listed(workspace.sends)).toHaveLength(5);
  },

  'that are rejected give back what they took to where they took it from': async ({ open }) => {
    const workspace = await open({ quota: 1, addOnCredits: 1 });
    const [a, b] = [await begin(workspace, 'a'), await begin(workspace, 'b')];
    await workspace.sends.settle(b.claim, refused(true));
    expect(await workspace.sends.readQuota()).toEqual({ quota: 0, addOnCredits: 1 });
    await workspace.sends.settle(a.claim, refused(true));
    expect(await workspace.sends.readQuota()).toEqual({ quota: 1, addOnCredits: 1 });
    expect(await listed(workspace.sends)).toEqual([]);
    expect((await begin(workspace, 'c')).send).toMatchObject({ paidBy: 'plan' });
  },

  'that are rejected without a refund are forgotten, and stay paid': async ({ open }) => {
    const workspace = await open({ quota: 1 });
    const { claim } = await begin(workspace, 'a');
    await workspace.sends.settle(claim, refused(false));
    expect(await listed(workspace.sends)).toEqual([]);
    expect(await workspace.sends.readQuota()).toEqual({ quota: 0, addOnCredits: 0 });
  },

  'are settled once, whatever is said afterwards': async ({ open }) => {
    const workspace = await open({ quota: 2 });
    const [a, b] = [await begin(workspace, 'a'), await begin(workspace, 'b')];
    expect(await workspace.sends.settle(a.claim, { accepted: true })).toBe(true);
    await atOnce(5, () => workspace.sends.settle(a.claim, refused(true)));
    const rejections = await atOnce(5, () => workspace.sends.settle(b.claim, refused(true)));
    expect(rejections.filter(Boolean)).toHaveLength(1);
    expect(await workspace.sends.settle(b.claim, { accepted: true })).toBe(false);
    expect(await workspace.sends.settle(unknownClaim('a'), refused(true))).toBe(false);
    expect(await workspace.sends.settle(unknownClaim('unheard_of'), refused(true))).toBe(false);
    expect(await workspace.sends.readQuota()).toEqual({ quota: 1, addOnCredits: 0 });
    expect(await listed(workspace.sends)).toEqual([{ ...a.send, status: 'sent' }]);
  },

  'whose lease runs out are claimed by whoever asks for them, oldest first, and only the latest claim settles them':
    async ({ open, endLeases }) => {
      const workspace = await open({ quota: 3 });
      const [a, b, c] = [
        await begin(workspace, 'a'),
        await begin(workspace, 'b'),
        await begin(workspace, 'c'),
      ];
      expect(await workspace.sends.claimAbandoned()).toBeUndefined();
      await endLeases();
      expect(await workspace.sends.settle(b.claim, { accepted: true })).toBe(true);
      const again = claimOf(await workspace.sends.claimAbandoned());
      expect(again.send).toEqual(a.send);
      expect(await workspace.sends.settle(a.claim, { accepted: true })).toBe(false);
      expect(await workspace.sends.settle(again.claim, refused(true))).toBe(true);
      expect(claimOf(await workspace.sends.claimAbandoned()).send).toEqual(c.send);
      expect(await workspace.sends.claimAbandoned()).toBeUndefined();
      expect(await workspace.sends.readQuota()).toEqual({ quota: 1, addOnCredits: 0 });
      expect(await listed(workspace.sends)).toMatchObject([{ id: 'c' }, { id: 'b', status: 'sent' }]);
    },

  'that are abandoned again are claimed oldest first, whoever claimed which last': async ({
    open,
    endLeases,
  }) => {
    const workspace = await open({ quota: 2 });
    await begin(workspace, 'a');
    await begin(workspace, 'b');
    await endLeases();
    expect(claimOf(await workspace.sends.claimAbandoned()).send.id).toBe('a');
    await endLeases();
    expect(claimOf(await workspace.sends.claimAbandoned()).send.id).toBe('a');
    expect(claimOf(await workspace.sends.claimAbandoned()).send.id).toBe('b');
  },

  'come out even when beginning and giving back run at once': async ({ open }) => {
    const workspace = await open({ quota: 10, addOnCredits: 5 });
    await atOnce(100, async (i) => {
      const begun = await workspace.sends.begin(sendNamed(`send_${i}`));
      if (begun !== undefined) await workspace.sends.settle(begun.claim, refused(true));
    });
    expect(await workspace.sends.readQuota()).toEqual({ quota: 10, addOnCredits: 5 });
    expect(await listed(workspace.sends)).toEqual([]);
  },

  'are listed in the order in which they were accepted, also after their contact is gone': async ({
    open,
  }) => {
    const workspace = await open({ quota: 3 });
    const { contactId, phone } = sendNamed('a');
    await workspace.contacts.upsert({ newId: contactId, phone, properties: {} }, 'merge');
    const begun = [await begin(workspace, 'b'), await begin(workspace, 'a'), await begin(workspace, 'c')];
    for (const { claim } of begun.reverse()) await workspace.sends.settle(claim, { accepted: true });
    await workspace.deleteContact(contactId);
    expect((await listed(workspace.sends)).map(({ id }) => id)).toEqual(['c', 'a', 'b']);
  },

  'leave what a change of the quota has undefined': async ({ open }) => {
    const workspace = await open({ quota: 1, addOnCredits: 2 });
    await workspace.sends.setQuota({ quota: undefined, addOnCredits: 3 });
    expect(await workspace.sends.readQuota()).toEqual({ quota: 1, addOnCredits: 3 });
    await workspace.sends.setQuota({ quota: 4, addOnCredits: undefined });
    expect(await workspace.sends.readQuota()).toEqual({ quota: 4, addOnCredits: 3 });
  },

  'are paid from what is set, of the plan or the add-on credits alone too': async ({ open }) => {
    const workspace = await open({ quota: 1, addOnCredits: 1 });
    expect(await workspace.sends.setQuota({ quota: 0 })).toEqual({ quota: 0, addOnCredits: 1 });
    const { claim, send } = await begin(workspace, 'a');
    expect(send).toMatchObject({ paidBy: 'add_on' });
    expect(await workspace.sends.setQuota({ addOnCredits: 5 })).toEqual({ quota: 0, addOnCredits: 5 });
    expect(await workspace.sends.setQuota({ quota: 1, addOnCredits: 0 })).toEqual({
      quota: 1,
      addOnCredits: 0,
    });
    expect((await begin(workspace, 'b')).send).toMatchObject({ paidBy: 'plan' });
    expect(await workspace.sends.begin(sendNamed('c'))).toBeUndefined();
    await workspace.sends.settle(claim, refused(true));
    expect(await workspace.sends.readQuota()).toEqual({ quota: 0, addOnCredits: 1 });
    expect((await workspace.readState()).workspace).toMatchObject({ quota: 1, addOnCredits: 1 });
  },
};
