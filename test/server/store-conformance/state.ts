import { expect } from 'vitest';
import type { ClaimedRun, ClaimedSend, WorkspaceStore } from '../../../src/server/store/store.js';
import { claimNext, eventNamed, processAll, withContacts } from './events.js';
import { claimRun, runNamed, start } from './journey-runs.js';
import { claimOf, listed, type Opening, type Promises } from './opening.js';
import { outboxEvent, receive } from './receiving.js';
import { begin, sendNamed } from './sends.js';
import { subscription } from './subscriptions.js';

const failed = { number: 1, startedAt: 1, signature: 'ab', error: 'refused' };
const always = Number.NEGATIVE_INFINITY;

interface Lived {
  readonly workspace: WorkspaceStore;
  /** The send that is under way. */
  readonly send: ClaimedSend;
  /** The journey run that takes a step. */
  readonly run: ClaimedRun;
}

/** A workspace that holds something of everything, each in whatever states there are. */
async function lived(opening: Opening): Promise<Lived> {
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
  await workspace.contacts.update('one', { plan: 'pro' });
  await workspace.sends.settle((await begin(workspace, 'sent')).claim, { accepted: true });
  const send = await begin(workspace, 'under_way');

  await start(workspace, runNamed('over'), runNamed('claimed'), runNamed('waiting'));
  const over = await claimRun(workspace, 'over');
  await workspace.journeys.saveRun(over.claim, { ...over.run, status: 'finished' });
  const run = await claimRun(workspace, 'claimed');
  for (const id of ['processed', 'claimed', 'waiting']) await workspace.recordEvent(eventNamed(id));
  await workspace.completeEvent((await claimNext(workspace)).claim, []);
  await claimNext(workspace);

  await workspace.subscriptions.create(subscription);
  for (const time of [1, 2, 3, 4]) await receive(workspace, outboxEvent(time));
  const [first, second] = await workspace.outbox.claimDue(subscription.id, 3, 3);
  await workspace.outbox.recordAttempt(claimOf(first).claim, failed, { status: 'pending', dueAt: 20 });
  await workspace.outbox.recordAttempt(claimOf(second).claim, failed, { status: 'failed' });
  return { workspace, send, run };
}

export const statePromises: Promises = {
  'of a workspace is the same in another, but for the id': async (opening) => {
    const { workspace } = await lived(opening);
    const state = await workspace.readState();
    const other = await opening.open({ quota: 99 });
    await other.contacts.upsert({ newId: 'gone', phone: '+12025550177', properties: {} }, 'merge');
    await other.replaceState(state);
    expect(await other.readState()).toEqual({ ...state, workspace: { ...state.workspace, id: other.id } });
    expect(await other.contacts.findById('gone')).toBeUndefined();
    expect(await other.contacts.findByPhone('+12025550177')).toBeUndefined();
    expect(await other.templates.find('t')).toEqual(await workspace.templates.find('t'));
    expect(await other.segments.find('seen')).toEqual(await workspace.segments.find('seen'));
    expect(await other.journeys.listStartedBy('seen')).toEqual([await workspace.journeys.find('welcome')]);
    expect(await other.contacts.findByPhone('+12025550100')).toMatchObject({ properties: { plan: 'pro' } });
    expect(await other.subscriptions.list()).toEqual([subscription]);
    expect(await workspace.readState()).toEqual(state);
  },

  'has whatever was claimed waiting': async (opening) => {
    const state = await (await lived(opening)).workspace.readState();
    expect(state.waitingEventIds).toEqual(['claimed', 'waiting']);
    const other = await opening.open();
    await other.replaceState(state);
    expect(await other.events.count('one', 'seen', always)).toBe(2);
    expect((await claimNext(other)).event.id).toBe('claimed');
    const { claim, event } = await claimNext(other);
    expect(event.id).toBe('waiting');
    expect(await other.events.claimNext()).toBeUndefined();
    await other.completeEvent(claim, [runNamed('new')]);
    expect(await other.events.count('one', 'seen', always)).toBe(3);
    for (const id of ['claimed', 'waiting']) expect((await claimRun(other, id)).run).toMatchObject({ id });
    expect(await other.journeys.claimRun('over', 1e15)).toBeUndefined();
    const claimed = await other.outbox.claimDue(subscription.id, 1e15, 100);
    expect(claimed).toMatchObject([
      { delivery: { createdAt: 3, attempts: [] }, secret: subscription.secret },
      { delivery: { createdAt: 4, attempts: [] } },
      { delivery: { createdAt: 1, attempts: [failed] } },
    ]);
  },

  'has a send that is under way as not begun, and what it took given back': async (opening) => {
    const { workspace, send } = await lived(opening);
    expect(await workspace.sends.readQuota()).toEqual({ quota: 1, addOnCredits: 1 });
    const state = await workspace.readState();
    expect(state.sends).toMatchObject([{ id: 'sent', status: 'sent' }]);
    expect(state.workspace).toMatchObject({ quota: 2, addOnCredits: 1 });
    expect(await workspace.sends.readQuota()).toEqual({ quota: 1, addOnCredits: 1 });
    await workspace.sends.settle(send.claim, { accepted: true });
    expect(await listed(workspace.sends)).toHaveLength(2);
  },

  'gives back add-on credits as such to a send that is under way': async (opening) => {
    const workspace = await opening.open({ quota: 1, addOnCredits: 2 });
    for (const id of ['by_plan', 'by_add_on']) await workspace.sends.begin(sendNamed(id));
    expect(await workspace.sends.readQuota()).toEqual({ quota: 0, addOnCredits: 1 });
    expect((await workspace.readState()).workspace).toMatchObject({ quota: 1, addOnCredits: 2 });
  },

  'has a delivery under way to a subscription that was deleted as cancelled': async (opening) => {
    const { workspace } = await lived(opening);
    await workspace.deleteSubscription(subscription.id);
    const other = await opening.open();
    await other.replaceState(await workspace.readState());
    const statuses = (await listed(other.outbox)).map(({ status }) => status);
    expect(statuses).toEqual(['cancelled', 'failed', 'cancelled', 'cancelled']);
  },

  'is not changed by what happens afterwards': async (opening) => {
    const { workspace, send, run } = await lived(opening);
    const state = await workspace.readState();
    const copy = structuredClone(state);
    await workspace.contacts.update('one', { plan: 'free' });
    await workspace.deleteContact('two');
    await workspace.sends.begin(sendNamed('later'));
    await workspace.sends.settle(send.claim, { accepted: true });
    await workspace.recordEvent(eventNamed('later'));
    await processAll(workspace);
    await workspace.journeys.saveRun(run.claim, { ...run.run, position: 5 });
    await receive(workspace, outboxEvent(9));
    await workspace.outbox.claimDue(subscription.id, 1e15, 100);
    await workspace.deleteSubscription(subscription.id);
    expect(await workspace.readState()).not.toEqual(copy);
    expect(state).toEqual(copy);
    const other = await opening.open();
    await other.replaceState(state);
    await other.deleteContact('one');
    await processAll(other);
    await other.outbox.claimDue(subscription.id, 1e15, 100);
    expect(state).toEqual(copy);
  },

  'can be put back, and what was claimed meanwhile settles nothing': async (opening) => {
    const { workspace, send, run } = await lived(opening);
    await workspace.sends.settle(send.claim, { accepted: false, refund: true });
    const state = await workspace.readState();
    const begun = await begin(workspace, 'meanwhile');
    const event = await claimNext(workspace);
    const [late] = await workspace.outbox.claimDue(subscription.id, 1e15, 1);
    await workspace.replaceState(state);
    expect(await workspace.sends.settle(begun.claim, { accepted: false, refund: true })).toBe(false);
    expect(await workspace.completeEvent(event.claim, [runNamed('ghost')])).toBe(false);
    expect(await workspace.journeys.saveRun(run.claim, { ...run.run, position: 7 })).toBe(false);
    expect(
      await workspace.outbox.recordAttempt(claimOf(late).claim, failed, { status: 'delivered' }),
    ).toBeUndefined();
    await workspace.outbox.release(claimOf(late).claim);
    expect(await workspace.readState()).toEqual(state);
    expect(await workspace.outbox.claimDue(subscription.id, 1e15, 100)).toHaveLength(3);
  },

  'is replaced in the parts that were taken from the store before, too': async (opening) => {
    const { workspace: source } = await lived(opening);
    await source.subscriptions.create({ ...subscription, id: 'another' });
    const [held, other] = [await opening.open(), await opening.open({ quota: 7 })];
    const { templates, contacts, sends, events, segments, journeys, subscriptions, outbox } = held;
    await contacts.upsert({ newId: 'gone', phone: '+12025550177', properties: {} }, 'merge');
    await held.replaceState(await source.readState());
    expect([await templates.find('t'), await segments.find('seen')]).not.toContain(undefined);
    expect((await listed(contacts)).map(({ id }) => id)).toEqual(['one', 'two', 'sender']);
    expect((await sends.readQuota()).quota).toBe(2);
    expect((await events.claimNext())?.event.id).toBe('claimed');
    expect(await journeys.claimRun('waiting', 10)).toBeDefined();
    expect(await subscriptions.list()).toHaveLength(2);
    expect(await outbox.claimDue(subscription.id, 1e15, 1)).toHaveLength(1);
    // What is written through them is in the store.
    await templates.delete('t');
    await contacts.update('two', { plan: 'free' });
    await sends.setQuota({ quota: 99 });
    const state = await held.readState();
    expect(state).toMatchObject({ workspace: { quota: 99, templates: [] } });
    expect(state.contacts).toContainEqual(
      expect.objectContaining({ id: 'two', properties: { plan: 'free' } }),
    );
    expect(await other.sends.readQuota()).toMatchObject({ quota: 7 });
  },

  'is of its own workspace alone': async (opening) => {
    const { workspace: one } = await lived(opening);
    const two = await opening.open();
    const state = await one.readState();
    await two.replaceState(state);
    await two.deleteContact('one');
    await processAll(two);
    expect(await one.readState()).toEqual(state);
  },
};
