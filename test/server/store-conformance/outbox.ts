import { expect } from 'vitest';
import type { AttemptRecord } from '../../../src/server/model/records.js';
import type { ClaimedDelivery, WorkspaceStore } from '../../../src/server/store/store.js';
import { atOnce, claimOf, listed, type Opening, type Promises, unknownClaim } from './opening.js';
import { outboxEvent, receive, statusesOf } from './receiving.js';
import { subscription } from './subscriptions.js';

const succeeded: AttemptRecord = {
  number: 1,
  startedAt: 1,
  machineTime: 2,
  duration: 3,
  signature: 'ab',
  timestamp: 4,
  status: 200,
  receiverTime: 5_000,
  headers: [['Content-Type', 'text/plain']],
  responseBody: 'ok\ufffd',
  responseBodyBase64: 'b2v/',
  responseBodyLength: 3,
  redirectedTo: 'http://127.0.0.1/elsewhere',
};
const failed: AttemptRecord = { number: 1, startedAt: 1, signature: 'ab', error: 'refused' };

/** A workspace with a subscription, and deliveries that came at these times. */
async function withDeliveries({ open }: Opening, ...times: readonly number[]): Promise<WorkspaceStore> {
  const workspace = await open();
  await workspace.subscriptions.create(subscription);
  for (const time of times) await receive(workspace, outboxEvent(time));
  return workspace;
}

/** Claims what is due, and names it by when it came. */
async function claim(workspace: WorkspaceStore, now: number, limit = 100): Promise<readonly number[]> {
  const claimed = await workspace.outbox.claimDue(subscription.id, now, limit);
  return claimed.map(({ delivery }) => delivery.createdAt);
}

async function claimOne(workspace: WorkspaceStore, now = 0): Promise<ClaimedDelivery> {
  const [claimed] = await workspace.outbox.claimDue(subscription.id, now, 1);
  return claimOf(claimed);
}

export const outboxPromises: Promises = {
  'gives what is due, oldest first, up to the limit, with the secret': async (opening) => {
    expect(await claim(await withDeliveries(opening), 3)).toEqual([]);
    const workspace = await withDeliveries(opening, 1, 2, 3);
    expect(await claim(workspace, 0)).toEqual([]);
    expect(await claim(workspace, 3, 0)).toEqual([]);
    expect(await workspace.outbox.claimDue(subscription.id, 3, 2)).toMatchObject([
      { delivery: { createdAt: 1 }, secret: 'whsec_1' },
      { delivery: { createdAt: 2 }, secret: 'whsec_1' },
    ]);
    expect(await claim(workspace, 3)).toEqual([3]);
    expect(await workspace.outbox.claimDue('unheard_of', 3, 10)).toEqual([]);
  },

  'gives what came at one time in the order in which it came': async (opening) => {
    const workspace = await withDeliveries(opening);
    const events = Array.from({ length: 20 }, () => outboxEvent());
    for (const event of events) await receive(workspace, event);
    const inOrder = (await listed(workspace.outbox)).map(({ id }) => id);
    const claimed = await workspace.outbox.claimDue(subscription.id, 0, 100);
    expect(claimed.map(({ delivery }) => delivery.id)).toEqual(inOrder);
  },

  'gives a delivery to one claimer, however many claim at once': async (opening) => {
    const workspace = await withDeliveries(opening, ...Array.from({ length: 30 }, () => 0));
    const claims = await atOnce(20, () => workspace.outbox.claimDue(subscription.id, 0, 4));
    const ids = claims.flat().map(({ delivery }) => delivery.id);
    expect(ids).toHaveLength(30);
    expect(new Set(ids).size).toBe(30);
  },

  'is done with a delivery that is over': async (opening) => {
    const workspace = await withDeliveries(opening, 0, 1);
    const after = [
      [succeeded, 'delivered'],
      [failed, 'failed'],
    ] as const;
    for (const [attempt, status] of after) {
      const { claim, delivery } = await claimOne(workspace, 1);
      const { id } = delivery;
      const recorded = await workspace.outbox.recordAttempt(claim, attempt, { status });
      expect(recorded).toMatchObject({ id, status, attempts: [attempt] });
      expect(recorded).not.toHaveProperty('dueAt');
      await workspace.outbox.release(claim);
    }
    expect(await claim(workspace, 1e15)).toEqual([]);
    expect(await listed(workspace.outbox)).toMatchObject([
      { status: 'delivered', attempts: [succeeded] },
      { status: 'failed', attempts: [failed] },
    ]);
    await workspace.deleteSubscription(subscription.id);
    expect(await statusesOf(workspace)).toEqual(['delivered', 'failed']);
  },

  'gives a delivery that is to be retried again when it is due, with its attempts so far': async (
    opening,
  ) => {
    const workspace = await withDeliveries(opening, 0);
    const { claim: held, delivery } = await claimOne(workspace);
    const { body } = delivery;
    const waiting = await workspace.outbox.recordAttempt(held, failed, { status: 'pending', dueAt: 10 });
    expect(waiting).toMatchObject({ status: 'pending', attempts: [failed], dueAt: 10, body });
    expect(await listed(workspace.outbox)).toEqual([waiting]);
    expect(await claim(workspace, 9)).toEqual([]);
    const again = await claimOne(workspace, 10);
    expect(again.delivery).toEqual(waiting);
    expect(await claim(workspace, 11)).toEqual([]);
    const second = { ...failed, number: 2 };
    await workspace.outbox.recordAttempt(again.claim, second, { status: 'pending', dueAt: 20 });
    expect((await claimOne(workspace, 20)).delivery).toMatchObject({ attempts: [failed, second], body });
  },

  'leaves what was read as it was': async (opening) => {
    const workspace = await withDeliveries(opening, 0);
    const [found] = await listed(workspace.outbox);
    const { claim: held, delivery } = await claimOne(workspace);
    const read = structuredClone(found);
    expect(delivery).toEqual(read);
    const waiting = await workspace.outbox.recordAttempt(held, failed, { status: 'pending', dueAt: 10 });
    await workspace.outbox.recordAttempt((await claimOne(workspace, 10)).claim, failed, { status: 'failed' });
    expect([found, delivery]).toEqual([read, read]);
    expect(waiting).toMatchObject({ status: 'pending', attempts: [failed] });
  },

  'passes over what is not due yet, and gives retries in the order of their times': async (opening) => {
    const workspace = await withDeliveries(opening, 1, 2, 3);
    for (const dueAt of [30, 10, 20]) {
      const { claim: held } = await claimOne(workspace, 3);
      await workspace.outbox.recordAttempt(held, failed, { status: 'pending', dueAt });
    }
    await receive(workspace, outboxEvent(4));
    expect(await claim(workspace, 4)).toEqual([4]);
    expect(await claim(workspace, 1e15)).toEqual([2, 3, 1]);
    expect((await listed(workspace.outbox)).map(({ createdAt }) => createdAt)).toEqual([1, 2, 3, 4]);
  },

  'takes an attempt only at a delivery that is claimed, and one for each claim': async (opening) => {
    const workspace = await withDeliveries(opening, 0);
    const [waiting] = await listed(workspace.outbox);
    if (waiting === undefined) throw new Error('Nothing waits.');
    expect(
      await workspace.outbox.recordAttempt(unknownClaim(waiting.id), succeeded, { status: 'delivered' }),
    ).toBeUndefined();
    expect(
      await workspace.outbox.recordAttempt(unknownClaim('unheard_of'), succeeded, { status: 'delivered' }),
    ).toBeUndefined();
    expect(await listed(workspace.outbox)).toEqual([waiting]);
    const { claim: held } = await claimOne(workspace);
    const recorded = await atOnce(5, () =>
      workspace.outbox.recordAttempt(held, failed, { status: 'pending', dueAt: 10 }),
    );
    expect(recorded.filter((each) => each !== undefined)).toHaveLength(1);
    expect(await listed(workspace.outbox)).toMatchObject([{ attempts: [failed] }]);
    expect(await claim(workspace, 10)).toHaveLength(1);
  },

  'takes back what was not attempted, as it was and to its old place': async (opening) => {
    const workspace = await withDeliveries(opening, 0, 0, 0);
    const before = await listed(workspace.outbox);
    for (const { claim: held } of [await claimOne(workspace), await claimOne(workspace)].reverse()) {
      await atOnce(3, () => workspace.outbox.release(held));
    }
    await workspace.outbox.release(unknownClaim('unheard_of'));
    expect(await listed(workspace.outbox)).toEqual(before);
    const claimed = await workspace.outbox.claimDue(subscription.id, 0, 100);
    expect(claimed.map(({ delivery }) => delivery)).toEqual(before);
  },

  'lets an attempt end whose subscription was deleted, and retries nothing': async (opening) => {
    const cases = [
      ['delivered', succeeded, { status: 'delivered' }],
      ['failed', failed, { status: 'failed' }],
      ['cancelled', failed, { status: 'pending', dueAt: 10 }],
    ] as const;
    for (const [status, attempt, after] of cases) {
      const workspace = await withDeliveries(opening, 0);
      const { claim: held } = await claimOne(workspace);
      await workspace.deleteSubscription(subscription.id);
      expect(await statusesOf(workspace)).toEqual(['pending']);
      const recorded = await workspace.outbox.recordAttempt(held, attempt, after);
      expect(recorded).toMatchObject({ status, attempts: [attempt] });
      expect(recorded).not.toHaveProperty('dueAt');
      expect(await listed(workspace.outbox)).toEqual([recorded]);
      expect(await claim(workspace, 1e15)).toEqual([]);
    }
    const workspace = await withDeliveries(opening, 0);
    const { claim: held } = await claimOne(workspace);
    await workspace.deleteSubscription(subscription.id);
    await workspace.outbox.release(held);
    expect(await listed(workspace.outbox)).toMatchObject([{ status: 'cancelled', attempts: [] }]);
  },

  'gives a delivery whose lease has run out again, and takes an attempt of the latest claim alone': async (
    opening,
  ) => {
    const workspace = await withDeliveries(opening, 1, 2, 3);
    const [stale, slow] = [await claimOne(workspace, 2), await claimOne(workspace, 2)];
    expect(await claim(workspace, 2)).toEqual([]);
    await opening.endLeases();
    expect(await workspace.outbox.claimDue('unheard_of', 2, 1)).toEqual([]);
    const latest = await claimOne(workspace, 2);
    expect(latest.delivery).toEqual(stale.delivery);
    expect(
      await workspace.outbox.recordAttempt(stale.claim, succeeded, { status: 'delivered' }),
    ).toBeUndefined();
    await workspace.outbox.release(stale.claim);
    expect(await workspace.outbox.recordAttempt(latest.claim, failed, { status: 'failed' })).toMatchObject({
      attempts: [failed],
    });
    // Nobody else has claimed this one: late is not lost.
    expect(
      await workspace.outbox.recordAttempt(slow.claim, succeeded, { status: 'delivered' }),
    ).toMatchObject({ attempts: [succeeded] });
    expect(await claim(workspace, 3)).toEqual([3]);
    await opening.endLeases();
    expect(await claim(workspace, 3)).toEqual([3]);
    expect(await statusesOf(workspace)).toEqual(['failed', 'delivered', 'pending']);
  },

  'gives what was abandoned in the order of its times, among what nobody has claimed': async (opening) => {
    const workspace = await withDeliveries(opening, 2, 4);
    expect(await claim(workspace, 4)).toEqual([2, 4]);
    await receive(workspace, outboxEvent(1));
    await receive(workspace, outboxEvent(3));
    await opening.endLeases();
    expect(await claim(workspace, 4, 1)).toEqual([1]);
    expect(await claim(workspace, 4, 2)).toEqual([2, 3]);
    await opening.endLeases();
    expect(await claim(workspace, 4)).toEqual([1, 2, 3, 4]);

    const crowded = await withDeliveries(opening, 1, 2, 3, 4);
    expect(await claim(crowded, 4, 2)).toEqual([1, 2]);
    await opening.endLeases();
    expect(await claim(crowded, 4, 2)).toEqual([1, 2]);
    expect(await claim(crowded, 4, 2)).toEqual([3, 4]);
  },

  'gives what goes to another subscription to nobody else, though it was abandoned': async (opening) => {
    const workspace = await opening.open();
    for (const id of ['one', 'two']) await workspace.subscriptions.create({ ...subscription, id });
    await receive(workspace, outboxEvent(1));
    const claimedFor = async (id: string) =>
      (await workspace.outbox.claimDue(id, 1, 9)).map(({ delivery }) => delivery.subscriptionId);
    expect(await claimedFor('one')).toEqual(['one']);
    await opening.endLeases();
    expect(await claimedFor('two')).toEqual(['two']);
    expect(await claimedFor('two')).toEqual([]);
    expect(await claimedFor('one')).toEqual(['one']);
  },

  'gives what was released after its lease ran out once': async (opening) => {
    const workspace = await withDeliveries(opening, 1);
    const { claim: held } = await claimOne(workspace, 1);
    await opening.endLeases();
    await workspace.outbox.release(held);
    expect(await claim(workspace, 1)).toEqual([1]);
    expect(await claim(workspace, 1)).toEqual([]);
  },

  'delivers the same bytes again, as a delivery of its own': async (opening) => {
    const workspace = await withDeliveries(opening, 1, 2);
    const { claim: held, delivery } = await claimOne(workspace, 1);
    const { id, body } = delivery;
    await workspace.outbox.recordAttempt(held, succeeded, { status: 'delivered' });
    const again = await workspace.outbox.redeliver(id, 'again', 5);
    expect(again).toEqual({
      id: 'again',
      subscriptionId: subscription.id,
      event: 'message.received',
      url: subscription.url,
      body,
      status: 'pending',
      attempts: [],
      redeliveryOf: id,
      dueAt: 5,
      createdAt: 5,
    });
    expect((await listed(workspace.outbox)).map((each) => each.createdAt)).toEqual([1, 2, 5]);
    expect((await claimOne(workspace, 5)).delivery).toMatchObject({ createdAt: 2 });
    const { claim: heldAgain } = await claimOne(workspace, 5);
    expect(heldAgain.id).toBe('again');
    expect(await workspace.outbox.recordAttempt(heldAgain, failed, { status: 'failed' })).toMatchObject({
      attempts: [failed],
    });
    expect((await listed(workspace.outbox))[0]).toMatchObject({ id, attempts: [succeeded] });
  },

  'delivers nothing again that it does not know, or whose subscription is gone': async (opening) => {
    const workspace = await withDeliveries(opening, 0);
    const { id } = (await claimOne(workspace)).delivery;
    expect(await workspace.outbox.redeliver('unheard_of', 'again', 1)).toBeUndefined();
    await workspace.deleteSubscription(subscription.id);
    expect(await workspace.outbox.redeliver(id, 'again', 1)).toBeUndefined();
    expect(await listed(workspace.outbox)).toHaveLength(1);
  },

  'delivers what failed again once, of all who ask at once': async (opening) => {
    const workspace = await withDeliveries(opening, 0, 1);
    const [one, other] = [await claimOne(workspace), await claimOne(workspace, 1)];
    for (const { claim: held } of [one, other])
      await workspace.outbox.recordAttempt(held, failed, { status: 'failed' });
    const { id } = one.delivery;
    const ifFailed = (ofId: string, newId: string) => workspace.outbox.redeliver(ofId, newId, 5, 'if_failed');
    const outcomes = await atOnce(10, (index) => ifFailed(id, `again_${index}`));
    expect(outcomes.filter((outcome) => outcome !== 'redelivered')).toMatchObject([
      { redeliveryOf: id, status: 'pending' },
    ]);
    expect(await statusesOf(workspace)).toEqual(['failed', 'failed', 'pending']);
    expect(await ifFailed(other.delivery.id, 'of the other')).toMatchObject({ id: 'of the other' });
    expect(await workspace.outbox.redeliver(id, 'anyway', 6)).toMatchObject({ id: 'anyway' });
    await workspace.replaceState(await workspace.readState());
    expect(await ifFailed(id, 'restored')).toBe('redelivered');
  },

  'delivers what failed again, and neither what is due, nor what was delivered, nor what it does not know':
    async (opening) => {
      const workspace = await withDeliveries(opening, 0);
      const { claim: held, delivery } = await claimOne(workspace);
      const ifFailed = (ofId: string) => workspace.outbox.redeliver(ofId, 'again', 1, 'if_failed');
      expect(await ifFailed(delivery.id)).toBe('not_failed');
      await workspace.outbox.recordAttempt(held, succeeded, { status: 'delivered' });
      expect(await ifFailed(delivery.id)).toBe('not_failed');
      expect(await ifFailed('unheard_of')).toBeUndefined();
      await workspace.deleteSubscription(subscription.id);
      expect(await ifFailed(delivery.id)).toBeUndefined();
      expect(await listed(workspace.outbox)).toHaveLength(1);
    },
};
