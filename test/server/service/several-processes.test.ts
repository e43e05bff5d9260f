import { expect, test } from 'vitest';
import { attemptsBy } from '../../../src/server/deliveries/attempts.js';
import { Dispatcher } from '../../../src/server/deliveries/dispatcher.js';
import type { AttemptResult } from '../../../src/server/deliveries/sender.js';
import { allOf } from '../../../src/server/model/page.js';
import type { JourneyStepRecord } from '../../../src/server/model/records.js';
import { createServices } from '../../../src/server/service/services.js';
import { MemoryStore } from '../../../src/server/store/memory/memory-store.js';
import type { WorkspaceStore } from '../../../src/server/store/store.js';
import { alteredWorkspace } from '../store-conformance/altered-store.js';
import { inMemory } from '../store-conformance/in-memory.js';
import { listed, openingOf } from '../store-conformance/opening.js';
import { subscription } from '../store-conformance/subscriptions.js';
import { contextOf } from '../support/context.js';
import { ManualClock } from '../support/manual-clock.js';
import { phone } from '../support/reference.js';

// Two processes share a store. The first stops in the middle of something for longer than a lease, the second takes
// that up, and the first comes back.

const send: JourneyStepRecord = { kind: 'send', templateId: 'welcome', variables: {} };
const accepted = undefined;
const rejected = 'late';

/** A workspace with a contact, a subscription and a journey, and the clock of its leases. */
async function shared() {
  const { open, endLeases } = openingOf(inMemory((lease) => new MemoryStore({ lease })));
  const workspace = await open({
    quota: 5,
    templates: [{ id: 'welcome', name: 'W', language: 'en', status: 'approved', body: 'Hi', variables: [] }],
    journeys: [{ id: 'greet', event: 'seen', steps: [send, { kind: 'wait', duration: 10 }] }],
  });
  await workspace.contacts.upsert({ newId: 'contact', phone, properties: {} }, 'merge');
  await workspace.subscriptions.create(subscription);
  return { workspace, endLeases };
}

/** A process at the store, with ids of its own. Its receivers and its provider respond when the test says so. */
function processAt(store: WorkspaceStore, name: string) {
  const counted = contextOf(store);
  const environment: typeof counted.environment = {
    ...counted.environment,
    newId: (kind) => `${name}_${counted.environment.newId(kind)}`,
  };
  const context = { ...counted, environment };
  const attempts: ((result: AttemptResult) => void)[] = [];
  const sends: ((rejection: string | undefined) => void)[] = [];
  const sender = { send: () => new Promise<AttemptResult>((resolve) => attempts.push(resolve)), close() {} };
  const provider = () => new Promise<string | undefined>((resolve) => sends.push(resolve));
  const dispatcher = new Dispatcher(context, attemptsBy(sender, new ManualClock(), 5_000), () => {});
  const { work, clock, failures } = context;
  return {
    ...createServices(context, (ids) => dispatcher.wake(ids), provider),
    dispatcher,
    work,
    clock,
    failures,
    attempts,
    sends,
    noted: () => context.entries.map(({ type }) => type),
  };
}

async function twoProcesses() {
  const { workspace, endLeases } = await shared();
  return {
    workspace,
    endLeases,
    first: processAt(workspace, 'first'),
    second: processAt(workspace, 'second'),
  };
}

test('an attempt that comes back after another process has made it is ignored', async () => {
  const { workspace, endLeases, first, second } = await twoProcesses();
  await first.inboundMessages.receive({ phone, body: 'Hello' });
  await expect.poll(() => first.attempts.length).toBe(1);
  second.dispatcher.wake([subscription.id]);
  await second.work.settled();
  expect(second.attempts).toHaveLength(0);

  await endLeases();
  second.dispatcher.wake([subscription.id]);
  await expect.poll(() => second.attempts.length).toBe(1);
  second.attempts[0]?.({ error: 'refused' });
  await second.work.settled();
  const [waiting] = await listed(workspace.outbox);
  expect(waiting).toMatchObject({ status: 'pending', attempts: [{ number: 1, error: 'refused' }] });

  first.attempts[0]?.({ status: 200 });
  await first.work.settled();
  await first.clock.runToIdle();
  expect(await listed(workspace.outbox)).toEqual([waiting]);
  expect(first.noted()).not.toContain('attempt');
  expect(first.attempts).toHaveLength(1);

  const moved = second.clock.runToIdle();
  await expect.poll(() => second.attempts.length).toBe(2);
  second.attempts[1]?.({ status: 200 });
  await moved;
  expect(await listed(workspace.outbox)).toMatchObject([
    {
      status: 'delivered',
      attempts: [
        { number: 1, error: 'refused' },
        { number: 2, status: 200 },
      ],
    },
  ]);
  expect([...first.failures, ...second.failures]).toEqual([]);
});

test.each([accepted, rejected])(
  'a send that comes back after another process has given it up is neither paid nor refunded: %j',
  async (late) => {
    const { workspace, endLeases, first, second } = await twoProcesses();
    const slow = first.transactional.send({ phone, templateId: 'welcome' });
    await expect.poll(() => first.sends.length).toBe(1);
    await second.transactional.resume();
    expect(await workspace.sends.readQuota()).toMatchObject({ quota: 4 });

    await endLeases();
    await second.transactional.resume();
    expect(await listed(workspace.sends)).toEqual([]);
    expect(await workspace.sends.readQuota()).toMatchObject({ quota: 5 });
    const again = second.transactional.send({ phone, templateId: 'welcome' });
    await expect.poll(() => second.sends.length).toBe(1);
    second.sends[0]?.(accepted);
    await again;

    first.sends[0]?.(late);
    // What the provider did is reported as it is.
    if (late === accepted) await expect(slow).resolves.toEqual({ success: true });
    else await expect(slow).rejects.toMatchObject({ code: 'send_failed' });
    expect(await listed(workspace.sends)).toMatchObject([{ id: 'second_send_1', status: 'sent' }]);
    expect(await workspace.sends.readQuota()).toMatchObject({ quota: 4 });
    expect([first.noted(), second.noted()]).toEqual([[], ['send']]);
  },
);

test('an event that comes back after another process has completed it starts nothing and counts once', async () => {
  const { workspace, endLeases } = await shared();
  const stuck: (() => void)[] = [];
  const slowly = alteredWorkspace(workspace, ({ journeys }) => ({
    journeys: {
      async listStartedBy(event) {
        await new Promise<void>((resolve) => stuck.push(resolve));
        return journeys.listStartedBy(event);
      },
    },
  }));
  const [first, second] = [processAt(slowly, 'first'), processAt(workspace, 'second')];
  await first.events.track({ contactId: 'contact', event: 'seen' });
  await expect.poll(() => stuck.length).toBe(1);
  await second.events.resume();
  expect(await allOf((range) => workspace.journeys.pageOfRuns(range))).toEqual([]);

  await endLeases();
  await second.events.resume();
  await expect.poll(() => second.sends.length).toBe(1);
  second.sends[0]?.(accepted);
  await second.work.settled();

  for (const release of stuck) release();
  await first.work.settled();
  await first.clock.runToIdle();
  expect(await workspace.events.count('contact', 'seen', Number.NEGATIVE_INFINITY)).toBe(1);
  expect(await allOf((range) => workspace.journeys.pageOfRuns(range))).toMatchObject([
    { id: 'second_journey_run_1', position: 2 },
  ]);
  expect(first.sends).toHaveLength(0);
  expect([first.noted(), second.noted()]).toEqual([['event'], ['journey', 'send', 'journey', 'journey']]);
});

test.each([accepted, rejected])(
  'a journey step that comes back after another process has taken it moves the run no further: %j',
  async (late) => {
    const { workspace, endLeases, first, second } = await twoProcesses();
    await first.events.track({ contactId: 'contact', event: 'seen' });
    await expect.poll(() => first.sends.length).toBe(1);
    await second.journeys.resume();
    await second.work.settled();
    expect(second.sends).toHaveLength(0);

    await endLeases();
    await second.transactional.resume();
    await second.journeys.resume();
    await expect.poll(() => second.sends.length).toBe(1);
    second.sends[0]?.(accepted);
    await second.work.settled();
    const runs = await allOf((range) => workspace.journeys.pageOfRuns(range));
    expect(runs).toMatchObject([{ status: 'waiting', position: 2 }]);

    first.sends[0]?.(late);
    await first.work.settled();
    await first.clock.runToIdle();
    expect(await allOf((range) => workspace.journeys.pageOfRuns(range))).toEqual(runs);
    expect(await listed(workspace.sends)).toMatchObject([{ id: 'second_send_1', status: 'sent' }]);
    expect(await workspace.sends.readQuota()).toMatchObject({ quota: 4 });
    expect([first.noted(), second.noted()]).toEqual([
      ['event', 'journey'],
      ['send', 'journey', 'journey'],
    ]);

    await second.clock.runToIdle();
    expect(await allOf((range) => workspace.journeys.pageOfRuns(range))).toMatchObject([
      { status: 'finished' },
    ]);
    expect([...first.failures, ...second.failures]).toEqual([]);
  },
);

test('a step whose process dies after the provider has accepted is not sent, paid or refused again', async () => {
  const { workspace, endLeases, first, second } = await twoProcesses();
  await workspace.sends.setQuota({ quota: 1, addOnCredits: 0 });
  const contact = await workspace.contacts.findById('contact');
  await first.events.track({ event: 'seen', phone });
  await expect.poll(() => first.sends.length).toBe(1);
  const [run] = await allOf((range) => workspace.journeys.pageOfRuns(range));
  const [begun] = await listed(workspace.sends);
  expect([contact?.phone, begun?.journeyRunId, begun?.status]).toEqual([phone, run?.id, 'pending']);

  // The second process takes the step again while the first one waits for the provider, and then it dies, too.
  await endLeases();
  second.journeys.startStep(run?.id ?? '');
  await expect.poll(() => second.sends.length).toBe(1);
  second.sends[0]?.(accepted);
  await second.work.settled();

  expect(await allOf((range) => workspace.journeys.pageOfRuns(range))).toMatchObject([
    { id: run?.id, status: 'waiting' },
  ]);
  expect(await listed(workspace.sends)).toMatchObject([{ id: begun?.id, status: 'sent' }]);
  expect(await workspace.sends.readQuota()).toEqual({ quota: 0, addOnCredits: 0 });
  first.sends[0]?.(rejected);
  await first.work.settled();
  expect(await listed(workspace.sends)).toMatchObject([{ id: begun?.id, status: 'sent' }]);
  expect(second.noted()).toContain('send');
});
