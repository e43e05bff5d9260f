import { expect, test } from 'vitest';
import type { JourneyRunRecord } from '../../../src/server/model/records.js';
import { MemoryWorkspace } from '../../../src/server/store/memory/memory-workspace.js';
import { runNamed, start } from './journey-runs.js';
import { workspaceRecord } from './opening.js';
import { outboxEvent, receive } from './receiving.js';
import { sendNamed } from './sends.js';
import { subscription } from './subscriptions.js';

/** How many of what is over the memory store keeps. */
const kept = 10_000;

const attempt = { number: 1, startedAt: 1, signature: 'ab', status: 200 };

test('the memory store keeps the last 10,000 sends, and every send under way', async () => {
  const workspace = new MemoryWorkspace(workspaceRecord({ quota: kept + 3 }));
  await workspace.beginSend(sendNamed('under_way'));
  for (let i = 0; i < kept + 1; i += 1) {
    await workspace.beginSend(sendNamed(`send_${i}`));
    await workspace.settleSend(`send_${i}`, { accepted: true });
  }
  const sends = (await workspace.listSends()).map(({ id }) => id);
  expect([sends.length, sends[0], sends[1]]).toEqual([kept + 1, 'under_way', 'send_1']);
  expect(await workspace.countForgotten()).toEqual({ sends: 1, deliveries: 0, journeyRuns: 0 });
  await workspace.settleSend('under_way', { accepted: false, refund: true });
  expect(await workspace.readQuota()).toMatchObject({ quota: 2 });
});

test('the memory store keeps the last 10,000 deliveries that are over, and every other', async () => {
  const workspace = new MemoryWorkspace(workspaceRecord());
  const [waitingFor, attempting] = ['waiting', 'attempting'];
  await workspace.createSubscription({ ...subscription, id: waitingFor });
  await workspace.createSubscription({ ...subscription, id: attempting });
  await receive(workspace, outboxEvent());
  const [claimed] = await workspace.claimDueDeliveries(attempting, 0, 1);
  for (const id of [waitingFor, attempting]) {
    await workspace.createSubscription({ ...subscription, id, enabled: false });
  }
  await workspace.createSubscription(subscription);
  for (let i = 0; i < kept + 1; i += 1) {
    await receive(workspace, outboxEvent(i));
    const [due] = await workspace.claimDueDeliveries(subscription.id, i, 1);
    await workspace.recordAttempt(due?.delivery.id ?? '', attempt, { status: 'delivered' });
  }
  const deliveries = await workspace.listDeliveries();
  expect(deliveries.slice(0, 3)).toMatchObject([
    { subscriptionId: waitingFor, status: 'pending' },
    { subscriptionId: attempting, status: 'pending' },
    { status: 'delivered', createdAt: 1 },
  ]);
  expect(deliveries).toHaveLength(kept + 2);
  expect(await workspace.countForgotten()).toEqual({ sends: 0, deliveries: 1, journeyRuns: 0 });
  expect(await workspace.claimDueDeliveries(waitingFor, 0, 9)).toHaveLength(1);
  const delivered = { status: 'delivered' } as const;
  expect(await workspace.recordAttempt(claimed?.delivery.id ?? '', attempt, delivered)).toMatchObject(
    delivered,
  );
});

test('the memory store keeps the last 10,000 journey runs that are over, and every other', async () => {
  const workspace = new MemoryWorkspace(workspaceRecord());
  await workspace.upsertContact({ newId: 'one', phone: '+12025550100', properties: {} }, 'merge');
  await start(workspace, runNamed('waiting'), runNamed('claimed'));
  await workspace.claimJourneyRun('claimed', 10);
  const over: readonly JourneyRunRecord[] = Array.from({ length: kept + 1 }, (_, i) => runNamed(`run_${i}`));
  await start(workspace, ...over);
  for (const run of over) {
    await workspace.claimJourneyRun(run.id, 10);
    await workspace.saveJourneyRun({ ...run, status: 'finished' });
  }
  const runs = (await workspace.listJourneyRuns()).map(({ id }) => id);
  expect([runs.length, ...runs.slice(0, 3)]).toEqual([kept + 2, 'waiting', 'claimed', 'run_1']);
  expect(await workspace.countForgotten()).toEqual({ sends: 0, deliveries: 0, journeyRuns: 1 });
  expect(await workspace.saveJourneyRun({ ...runNamed('claimed'), status: 'finished' })).toBe(true);
  expect(await workspace.claimJourneyRun('waiting', 10)).toBeDefined();
  expect((await workspace.listJourneyRuns())[1]).toMatchObject({ id: 'claimed' });
  expect(await workspace.listJourneyRuns()).toHaveLength(kept + 2 - 1);
});
