import { expect, onTestFinished, test } from 'vitest';
import { Dispatcher } from '../../../src/server/deliveries/dispatcher.js';
import type { AttemptResult, OutgoingAttempt } from '../../../src/server/deliveries/sender.js';
import { StoreUnavailableError } from '../../../src/server/model/service-error.js';
import type { SpecGaps } from '../../../src/server/model/spec-gaps.js';
import { deliveryOf } from '../../../src/server/store/memory/memory-outbox.js';
import { MemoryWorkspace } from '../../../src/server/store/memory/memory-store.js';
import { until } from '../../waiting.js';
import { alteredWorkspace } from '../store-conformance/altered-store.js';
import { listed, workspaceRecord } from '../store-conformance/opening.js';
import { outboxEvent, receive } from '../store-conformance/receiving.js';
import { subscription } from '../store-conformance/subscriptions.js';
import { contextOf } from '../support/context.js';

/** A memory store whose claims take as long as the test wants, as those of a database do. */
function slowWorkspace() {
  const kept = new MemoryWorkspace(workspaceRecord());
  const state = { claims: [] as (() => void)[], failures: 0, outages: 0, releases: 0 };
  const workspace = alteredWorkspace(kept, ({ outbox }) => ({
    outbox: {
      async claimDue(...claim) {
        const claimed = await outbox.claimDue(...claim);
        await new Promise<void>((resolve) => state.claims.push(resolve));
        if (state.failures > 0) {
          state.failures -= 1;
          throw new Error('the database is gone');
        }
        return claimed;
      },
      recordAttempt(...attempt) {
        if (state.outages === 0) return outbox.recordAttempt(...attempt);
        state.outages -= 1;
        return Promise.reject(new StoreUnavailableError('the database is gone'));
      },
      release(claim) {
        state.releases += 1;
        return outbox.release(claim);
      },
    },
  }));
  return Object.assign(state, { store: workspace });
}

async function dispatching(
  send: (attempt: OutgoingAttempt) => Promise<AttemptResult> = async () => ({ status: 200 }),
  gaps: Partial<SpecGaps> = {},
) {
  const workspace = slowWorkspace();
  const { store } = workspace;
  await store.subscriptions.create(subscription);
  const { work, failures, ...context } = contextOf(store);
  const dispatcher = new Dispatcher(
    { ...context, work, gaps: () => ({ ...context.gaps(), ...gaps }) },
    { make: (attempt) => send(attempt), close() {} },
    () => {},
  );
  onTestFinished(() => dispatcher.close());
  const happen = async () => dispatcher.wake((await receive(store, outboxEvent())).subscriptionIds);
  const statuses = async () => (await listed(store.outbox)).map(({ status }) => status);
  /** Ends the claims, and those that follow from them. */
  async function finish(end: Promise<unknown> = work.settled()) {
    let settled = false;
    void end.then(() => {
      settled = true;
    });
    await until('the end of the work', () => {
      for (const release of workspace.claims.splice(0)) release();
      return settled;
    });
  }
  return { dispatcher, workspace, clock: context.clock, happen, statuses, finish, failures };
}

test('a delivery that cannot be signed has a failed attempt, and its claim ends', async () => {
  const { workspace, happen, finish, failures } = await dispatching();
  await workspace.store.subscriptions.create({ ...subscription, id: 'unsigned', secret: '' });
  await happen();
  await finish();
  const error = expect.stringMatching(/^The delivery cannot be signed: .*secret/);
  expect(await listed(workspace.store.outbox)).toMatchObject([
    { status: 'delivered' },
    { status: 'pending', attempts: [{ number: 1, signature: '', error }], dueAt: expect.any(Number) },
  ]);
  expect(failures).toEqual([]);
});

test('a retry that cannot get a new timestamp has a failed attempt, and its claim ends', async () => {
  const { dispatcher, workspace, finish, failures } = await dispatching(undefined, {
    retriedBody: 're-stamped',
  });
  const { store } = workspace;
  const attempts = [{ number: 1, startedAt: 1, signature: 'ab', error: 'refused' }];
  const delivery = deliveryOf(outboxEvent(), subscription);
  const bodies = { text: 'no JSON', json: '{"timestamp":"2026-01-01T00:00:00.000Z"}' };
  await store.replaceState({
    ...(await store.readState()),
    deliveries: Object.entries(bodies)
      .map(([id, body]) => {
        return { ...delivery, id, attempts, body: new TextEncoder().encode(body) };
      })
      .concat({ ...delivery, id: 'first', attempts: [], body: new TextEncoder().encode(bodies.text) }),
  });
  dispatcher.wake([subscription.id]);
  await finish();
  const error = expect.stringMatching(/^The delivery cannot be signed: .*JSON/);
  expect(await listed(store.outbox)).toMatchObject([
    { status: 'pending', attempts: [{ number: 1 }, { number: 2, error }] },
    { status: 'delivered' },
    { id: 'first', status: 'delivered' }, // a first attempt keeps the timestamp that it has
  ]);
  expect(failures).toEqual([]);
});

test('a redelivery starts at once', async () => {
  const { dispatcher, workspace, happen, finish, statuses } = await dispatching();
  await happen();
  await finish();
  const [{ id } = { id: '' }] = await listed(workspace.store.outbox);
  await dispatcher.redeliver(id);
  await finish();
  expect(await statuses()).toEqual(['delivered', 'delivered']);
});

test('after a restore, a pending delivery starts when it is due', async () => {
  const { dispatcher, workspace, clock, finish, statuses } = await dispatching();
  const { store } = workspace;
  const delivery = { ...deliveryOf(outboxEvent(), subscription), dueAt: clock.now() + 1_000 };
  await store.replaceState({ ...(await store.readState()), deliveries: [delivery] });
  await dispatcher.resume();
  await finish();
  expect(await statuses()).toEqual(['pending']);
  await finish(clock.advance('1s'));
  expect(await statuses()).toEqual(['delivered']);
});

test('a delivery that becomes due during a claim is attempted after it', async () => {
  const { dispatcher, workspace, happen, statuses, finish } = await dispatching();
  // Claims that find nothing, and hold every lane until they end.
  dispatcher.wake(Array.from({ length: 2 }, () => subscription.id));
  await expect.poll(() => workspace.claims).toHaveLength(2);
  await happen();
  await finish();
  expect(await statuses()).toEqual(['delivered']);
});

test('a claim that fails is reported, and its lane is free again', async () => {
  const { workspace, happen, finish, statuses, failures } = await dispatching();
  workspace.failures = 20;
  for (let i = 0; i < 20; i += 1) {
    await happen();
    await finish();
  }
  expect(failures).toHaveLength(20);
  expect(failures[0]).toEqual(new Error('the database is gone'));
  await happen();
  await finish();
  expect((await statuses()).at(-1)).toBe('delivered');
});

test('a delivery that is claimed during close is not attempted, and can be claimed again', async () => {
  let sent = 0;
  const { dispatcher, workspace, happen, finish, statuses } = await dispatching(async () => {
    sent += 1;
    return { status: 200 };
  });
  await happen();
  await expect.poll(() => workspace.claims).toHaveLength(1);
  dispatcher.close();
  await finish();
  expect([sent, await statuses()]).toEqual([0, ['pending']]);
  const claimed = workspace.store.outbox.claimDue(subscription.id, 0, 1);
  await expect.poll(() => workspace.claims).toHaveLength(1);
  for (const release of workspace.claims.splice(0)) release();
  expect(await claimed).toHaveLength(1);
});

test('a delivery whose attempt rejects is due as before', async () => {
  let attempts = 0;
  const { dispatcher, happen, statuses, finish, failures } = await dispatching(async () => {
    attempts += 1;
    if (attempts === 1) throw new Error('the store is gone');
    return { status: 200 };
  });
  await happen();
  await finish();
  expect(failures).toEqual([new Error('the store is gone')]);
  dispatcher.wake([subscription.id]);
  await finish();
  expect(await statuses()).toEqual(['delivered']);
});

test('an attempt that the store cannot record at first is recorded, and not made again', async () => {
  let sent = 0;
  const { workspace, happen, finish, statuses, failures } = await dispatching(async () => {
    sent += 1;
    return { status: 200 };
  });
  workspace.outages = 1;
  await happen();
  await finish();
  expect([sent, await statuses(), failures]).toEqual([1, ['delivered'], []]);
});

test('the claim of a delivery that was attempted is not released at the end', async () => {
  const { dispatcher, workspace, happen, finish } = await dispatching();
  await happen();
  await finish();
  await dispatcher.handBack();
  expect(workspace.releases).toBe(0);
});
