import { expect } from 'vitest';
import type { WorkspaceStore } from '../../../src/server/store/store.js';
import { eventNamed, processAll, withContacts } from './events.js';
import { runNamed, start } from './journey-runs.js';
import type { Opening, Promises } from './opening.js';
import { outboxEvent, receive } from './receiving.js';
import { sendNamed } from './sends.js';
import { subscription } from './subscriptions.js';

const failed = { number: 1, startedAt: 1, signature: 'ab', error: 'refused' };
const always = Number.NEGATIVE_INFINITY;

/** A workspace that holds something of everything, each in whatever states there are. */
async function lived(opening: Opening): Promise<WorkspaceStore> {
  const workspace = await withContacts(opening);
  await workspace.replaceState({
    ...(await workspace.readState()),
    workspace: {
      id: workspace.id,
      quota: 3,
      addOnCredits: 1,
      templates: [{ id: 't', name: 'T', language: 'en', status: 'approved', body: 'Hi', variables: [] }],
      segments: [{ id: 'seen', event: 'seen', atLeast: 1 }],
      journeys: [{ id: 'welcome', event: 'seen', steps: [] }],
    },
  });
  await workspace.updateContact('one', { plan: 'pro' });
  for (const id of ['sent', 'under_way']) await workspace.beginSend(sendNamed(id));
  await workspace.settleSend('sent', { accepted: true });

  await start(workspace, runNamed('over'), runNamed('claimed'), runNamed('waiting'));
  await workspace.claimJourneyRun('over', 10);
  await workspace.saveJourneyRun({ ...runNamed('over'), status: 'finished' });
  await workspace.claimJourneyRun('claimed', 10);
  for (const id of ['processed', 'claimed', 'waiting']) await workspace.recordEvent(eventNamed(id));
  await workspace.claimNextEvent();
  await workspace.completeEvent('processed', []);
  await workspace.claimNextEvent();

  await workspace.createSubscription(subscription);
  for (const time of [1, 2, 3, 4]) await receive(workspace, outboxEvent(time));
  const claimed = await workspace.claimDueDeliveries(subscription.id, 3, 3);
  const [first, second] = claimed.map(({ delivery }) => delivery.id);
  await workspace.recordAttempt(first ?? '', { ...failed }, { status: 'pending', dueAt: 20 });
  await workspace.recordAttempt(second ?? '', { ...failed }, { status: 'failed' });
  return workspace;
}

export const statePromises: Promises = {
  'of a workspace is the same in another, but for the id': async (opening) => {
    const workspace = await lived(opening);
    const state = await workspace.readState();
    const other = await opening.open({ quota: 99 });
    await other.upsertContact({ newId: 'gone', phone: '+12025550177', properties: {} }, 'merge');
    await other.replaceState(state);
    expect(await other.readState()).toEqual({ ...state, workspace: { ...state.workspace, id: other.id } });
    expect(await other.findContactById('gone')).toBeUndefined();
    expect(await other.findContactByPhone('+12025550177')).toBeUndefined();
    expect(await other.findTemplate('t')).toEqual(await workspace.findTemplate('t'));
    expect(await other.findSegment('seen')).toEqual(await workspace.findSegment('seen'));
    expect(await other.listJourneysStartedBy('seen')).toEqual([await workspace.findJourney('welcome')]);
    expect(await other.findContactByPhone('+12025550100')).toMatchObject({ properties: { plan: 'pro' } });
    expect(await other.listSubscriptions()).toEqual([subscription]);
    expect(await workspace.readState()).toEqual(state);
  },

  'has whatever was claimed waiting': async (opening) => {
    const state = await (await lived(opening)).readState();
    expect(state.waitingEventIds).toEqual(['claimed', 'waiting']);
    const other = await opening.open();
    await other.replaceState(state);
    expect(await other.countEvents('one', 'seen', always)).toBe(2);
    expect(await other.claimNextEvent()).toMatchObject({ id: 'claimed' });
    expect(await other.claimNextEvent()).toMatchObject({ id: 'waiting' });
    expect(await other.claimNextEvent()).toBeUndefined();
    await other.completeEvent('waiting', [runNamed('new')]);
    expect(await other.countEvents('one', 'seen', always)).toBe(3);
    for (const id of ['claimed', 'waiting'])
      expect(await other.claimJourneyRun(id, 10)).toMatchObject({ id });
    expect(await other.claimJourneyRun('over', 1e15)).toBeUndefined();
    const claimed = await other.claimDueDeliveries(subscription.id, 1e15, 100);
    expect(claimed).toMatchObject([
      { delivery: { createdAt: 3, attempts: [] }, secret: subscription.secret },
      { delivery: { createdAt: 4, attempts: [] } },
      { delivery: { createdAt: 1, attempts: [failed] } },
    ]);
  },

  'has a send that is under way as not begun, and what it took given back': async (opening) => {
    const workspace = await lived(opening);
    expect(await workspace.readQuota()).toEqual({ quota: 1, addOnCredits: 1 });
    const state = await workspace.readState();
    expect(state.sends).toMatchObject([{ id: 'sent', status: 'sent' }]);
    expect(state.workspace).toMatchObject({ quota: 2, addOnCredits: 1 });
    expect(await workspace.readQuota()).toEqual({ quota: 1, addOnCredits: 1 });
    await workspace.settleSend('under_way', { accepted: true });
    expect(await workspace.listSends()).toHaveLength(2);
  },

  'gives back add-on credits as such to a send that is under way': async (opening) => {
    const workspace = await opening.open({ quota: 1, addOnCredits: 2 });
    for (const id of ['by_plan', 'by_add_on']) await workspace.beginSend(sendNamed(id));
    expect(await workspace.readQuota()).toEqual({ quota: 0, addOnCredits: 1 });
    expect((await workspace.readState()).workspace).toMatchObject({ quota: 1, addOnCredits: 2 });
  },

  'has a delivery under way to a subscription that was deleted as cancelled': async (opening) => {
    const workspace = await lived(opening);
    await workspace.deleteSubscription(subscription.id);
    const other = await opening.open();
    await other.replaceState(await workspace.readState());
    const statuses = (await other.listDeliveries()).map(({ status }) => status);
    expect(statuses).toEqual(['cancelled', 'failed', 'cancelled', 'cancelled']);
  },

  'is not changed by what happens afterwards': async (opening) => {
    const workspace = await lived(opening);
    const state = await workspace.readState();
    const copy = structuredClone(state);
    await workspace.updateContact('one', { plan: 'free' });
    await workspace.deleteContact('two');
    await workspace.beginSend(sendNamed('later'));
    await workspace.settleSend('under_way', { accepted: true });
    await workspace.recordEvent(eventNamed('later'));
    await processAll(workspace);
    await workspace.saveJourneyRun({ ...runNamed('claimed'), position: 5 });
    await receive(workspace, outboxEvent(9));
    await workspace.claimDueDeliveries(subscription.id, 1e15, 100);
    await workspace.deleteSubscription(subscription.id);
    expect(await workspace.readState()).not.toEqual(copy);
    expect(state).toEqual(copy);
    const other = await opening.open();
    await other.replaceState(state);
    await other.deleteContact('one');
    await processAll(other);
    await other.claimDueDeliveries(subscription.id, 1e15, 100);
    expect(state).toEqual(copy);
  },

  'can be put back, and what was claimed meanwhile settles nothing': async (opening) => {
    const workspace = await lived(opening);
    await workspace.settleSend('under_way', { accepted: false, refund: true });
    const state = await workspace.readState();
    const begun = await workspace.beginSend(sendNamed('meanwhile'));
    const event = await workspace.claimNextEvent();
    const [late] = await workspace.claimDueDeliveries(subscription.id, 1e15, 1);
    await workspace.replaceState(state);
    await workspace.settleSend(begun?.id ?? '', { accepted: false, refund: true });
    expect(await workspace.completeEvent(event?.id ?? '', [runNamed('ghost')])).toBe(false);
    expect(await workspace.saveJourneyRun({ ...runNamed('claimed'), position: 7 })).toBe(false);
    expect(
      await workspace.recordAttempt(late?.delivery.id ?? '', failed, { status: 'delivered' }),
    ).toBeUndefined();
    await workspace.releaseDelivery(late?.delivery.id ?? '');
    expect(await workspace.readState()).toEqual(state);
    expect(await workspace.claimDueDeliveries(subscription.id, 1e15, 100)).toHaveLength(3);
  },

  'is of its own workspace alone': async (opening) => {
    const [one, two] = [await lived(opening), await opening.open()];
    const state = await one.readState();
    await two.replaceState(state);
    await two.deleteContact('one');
    await processAll(two);
    expect(await one.readState()).toEqual(state);
  },
};
