import { expect, test } from 'vitest';
import { allOf } from '../../../src/server/model/page.js';
import type { JourneyRunRecord } from '../../../src/server/model/records.js';
import { MemoryWorkspace } from '../../../src/server/store/memory/memory-store.js';
import { claimNext, eventNamed, processAll } from './events.js';
import { claimRun, runNamed, start } from './journey-runs.js';
import { claimOf, listed, workspaceRecord } from './opening.js';
import { outboxEvent, receive } from './receiving.js';
import { begin } from './sends.js';
import { subscription } from './subscriptions.js';

/** How many of what is over the memory store keeps. */
const kept = 10_000;

const attempt = { number: 1, startedAt: 1, signature: 'ab', status: 200 };

test('the memory store keeps the last 10,000 sends, and every send under way', async () => {
  const workspace = new MemoryWorkspace(workspaceRecord({ quota: kept + 3 }));
  const underWay = await begin(workspace, 'under_way');
  for (let i = 0; i < kept + 1; i += 1) {
    const { claim } = await begin(workspace, `send_${i}`);
    await workspace.sends.settle(claim, { accepted: true });
  }
  const sends = (await listed(workspace.sends)).map(({ id }) => id);
  expect([sends.length, sends[0], sends[1]]).toEqual([kept + 1, 'under_way', 'send_1']);
  expect(await workspace.countForgotten()).toEqual({ sends: 1, events: 0, deliveries: 0, journeyRuns: 0 });
  await workspace.sends.settle(underWay.claim, { accepted: false, refund: true });
  expect(await workspace.sends.readQuota()).toMatchObject({ quota: 2 });
  await workspace.replaceState(await workspace.readState());
  expect(await workspace.countForgotten()).toEqual({ sends: 0, events: 0, deliveries: 0, journeyRuns: 0 });
});

test('the memory store keeps the last 10,000 deliveries that are over, and every other', async () => {
  const workspace = new MemoryWorkspace(workspaceRecord());
  const [waitingFor, attempting] = ['waiting', 'attempting'];
  await workspace.subscriptions.create({ ...subscription, id: waitingFor });
  await workspace.subscriptions.create({ ...subscription, id: attempting });
  await receive(workspace, outboxEvent());
  const claimed = claimOf((await workspace.outbox.claimDue(attempting, 0, 1))[0]);
  for (const id of [waitingFor, attempting]) {
    await workspace.subscriptions.create({ ...subscription, id, enabled: false });
  }
  await workspace.subscriptions.create(subscription);
  for (let i = 0; i < kept + 1; i += 1) {
    await receive(workspace, outboxEvent(i));
    const due = claimOf((await workspace.outbox.claimDue(subscription.id, i, 1))[0]);
    await workspace.outbox.recordAttempt(due.claim, attempt, { status: 'delivered' });
  }
  const deliveries = await listed(workspace.outbox);
  expect(deliveries.slice(0, 3)).toMatchObject([
    { subscriptionId: waitingFor, status: 'pending' },
    { subscriptionId: attempting, status: 'pending' },
    { status: 'delivered', createdAt: 1 },
  ]);
  expect(deliveries).toHaveLength(kept + 2);
  expect(await workspace.countForgotten()).toEqual({ sends: 0, events: 0, deliveries: 1, journeyRuns: 0 });
  expect(await workspace.outbox.claimDue(waitingFor, 0, 9)).toHaveLength(1);
  const delivered = { status: 'delivered' } as const;
  expect(await workspace.outbox.recordAttempt(claimed.claim, attempt, delivered)).toMatchObject(delivered);
});

test('the memory store keeps the last 10,000 journey runs that are over, and every other', async () => {
  const workspace = new MemoryWorkspace(workspaceRecord());
  await workspace.contacts.upsert({ newId: 'one', phone: '+12025550100', properties: {} }, 'merge');
  await start(workspace, runNamed('waiting'), runNamed('claimed'));
  const claimed = await claimRun(workspace, 'claimed');
  const over: readonly JourneyRunRecord[] = Array.from({ length: kept + 1 }, (_, i) => runNamed(`run_${i}`));
  await start(workspace, ...over);
  for (const run of over) {
    const { claim } = await claimRun(workspace, run.id);
    await workspace.journeys.saveRun(claim, { ...run, status: 'finished' });
  }
  const runs = (await allOf((range) => workspace.journeys.pageOfRuns(range))).map(({ id }) => id);
  expect([runs.length, ...runs.slice(0, 3)]).toEqual([kept + 2, 'waiting', 'claimed', 'run_1']);
  expect(await workspace.countForgotten()).toEqual({ sends: 0, events: 0, deliveries: 0, journeyRuns: 1 });
  expect(await workspace.journeys.saveRun(claimed.claim, { ...claimed.run, status: 'finished' })).toBe(true);
  expect(await workspace.journeys.claimRun('waiting', 10)).toBeDefined();
  expect((await allOf((range) => workspace.journeys.pageOfRuns(range)))[1]).toMatchObject({ id: 'claimed' });
  expect(await allOf((range) => workspace.journeys.pageOfRuns(range))).toHaveLength(kept + 2 - 1);
});

test('the memory store keeps and counts the last 10,000 processed events, and every other', async () => {
  const workspace = new MemoryWorkspace(workspaceRecord());
  for (const id of ['one', 'two'])
    await workspace.contacts.upsert({ newId: id, phone: id, properties: {} }, 'merge');
  await workspace.recordEvent(eventNamed('first', 'two', 'seen', 0));
  await processAll(workspace);
  for (let i = 0; i < kept - 1; i += 1) {
    await workspace.recordEvent(eventNamed(`event_${i}`, 'one', i % 2 === 0 ? 'seen' : 'read', i));
    await processAll(workspace);
  }
  const count = (contactId: string, name: string) => workspace.events.count(contactId, name, -1);
  expect([await count('two', 'seen'), await count('one', 'seen')]).toEqual([1, kept / 2]);
  await workspace.recordEvent(eventNamed('waiting', 'two'));
  await workspace.recordEvent(eventNamed('last', 'one', 'seen', kept));
  const [, last] = [await claimNext(workspace), await claimNext(workspace)];
  await workspace.completeEvent(last.claim, []);
  expect([await count('two', 'seen'), await count('one', 'seen')]).toEqual([0, kept / 2 + 1]);
  expect((await listed(workspace.events)).map(({ id }) => id).slice(0, 2)).toEqual(['event_0', 'event_1']);
  expect(await workspace.countForgotten()).toEqual({ sends: 0, events: 1, deliveries: 0, journeyRuns: 0 });
  await workspace.deleteContact('one');
  expect((await workspace.readState()).events.map(({ id }) => id)).toEqual(['waiting']);
});

test('the memory store forgets no journey run where a contact that was deleted has made room', async () => {
  const workspace = new MemoryWorkspace(workspaceRecord());
  const sender = (newId: string, phone: string) => ({ newId, phone, properties: {} });
  await workspace.contacts.upsert(sender('one', '+12025550100'), 'merge');
  await workspace.contacts.upsert(sender('two', '+12025550101'), 'merge');
  const end = async (...runs: readonly JourneyRunRecord[]) => {
    await start(workspace, ...runs);
    for (const run of runs) {
      const { claim } = await claimRun(workspace, run.id);
      await workspace.journeys.saveRun(claim, { ...run, status: 'finished' });
    }
  };
  const ids = async () => (await allOf((range) => workspace.journeys.pageOfRuns(range))).map(({ id }) => id);
  await end(...Array.from({ length: kept + 1 }, (_, i) => runNamed(`run_${i}`)));
  await end(runNamed('of_two', 'two'));
  expect([(await ids())[0], (await ids()).length]).toEqual(['run_2', kept]);
  await workspace.deleteContact('two');
  await end(runNamed('in_its_place'));
  expect([(await ids())[0], (await ids()).length]).toEqual(['run_2', kept]);
  await end(runNamed('one_more'));
  expect([(await ids())[0], (await ids()).length]).toEqual(['run_3', kept]);
  // All that is left of a contact goes with it, whatever of it was forgotten before.
  await workspace.deleteContact('one');
  expect(await ids()).toEqual([]);
});
