import { expect, onTestFinished, test } from 'vitest';
import { attemptsBy } from '../../../src/server/deliveries/attempts.js';
import { Dispatcher } from '../../../src/server/deliveries/dispatcher.js';
import type { Sender } from '../../../src/server/deliveries/sender.js';
import { MemoryWorkspace } from '../../../src/server/store/memory/memory-workspace.js';
import { alteredWorkspace } from '../store-conformance/altered-store.js';
import { workspaceRecord } from '../store-conformance/opening.js';
import { outboxEvent, receive } from '../store-conformance/receiving.js';
import { subscription } from '../store-conformance/subscriptions.js';
import { contextOf } from '../support/context.js';

/** A memory store whose claims take as long as the test likes, as those of a database do. */
function slowWorkspace() {
  const kept = new MemoryWorkspace(workspaceRecord());
  const state = { claims: [] as (() => void)[], failures: 0 };
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
    },
  }));
  return Object.assign(state, { store: workspace });
}

async function dispatching(sender: Sender = { send: async () => ({ status: 200 }), close() {} }) {
  const workspace = slowWorkspace();
  const { store } = workspace;
  await store.subscriptions.create(subscription);
  const { work, failures, ...context } = contextOf(store);
  const dispatcher = new Dispatcher({ ...context, work }, attemptsBy(sender), () => {});
  onTestFinished(() => dispatcher.close());
  const happen = async () => dispatcher.wake((await receive(store, outboxEvent())).subscriptionIds);
  const statuses = async () => (await store.outbox.list()).map(({ status }) => status);
  /** Lets the claims of now, and those that they lead to, come back. */
  async function finish() {
    let settled = false;
    void work.settled().then(() => {
      settled = true;
    });
    while (!settled) {
      for (const release of workspace.claims.splice(0)) release();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return { dispatcher, workspace, happen, statuses, finish, failures };
}

test('what comes due while a claim is under way is not forgotten', async () => {
  const { dispatcher, workspace, happen, statuses, finish } = await dispatching();
  // Claims that find nothing, and hold every lane until they are back.
  dispatcher.wake(Array.from({ length: 2 }, () => subscription.id));
  await expect.poll(() => workspace.claims).toHaveLength(2);
  await happen();
  await finish();
  expect(await statuses()).toEqual(['delivered']);
});

test('a claim that fails is told, and does not keep its places', async () => {
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

test('an attempt that fails beyond its sender does not keep its place', async () => {
  let broken = 16;
  const { happen, finish, statuses, failures } = await dispatching({
    async send() {
      broken -= 1;
      if (broken >= 0) throw new Error('a sender that breaks its word');
      return { status: 200 };
    },
    close() {},
  });
  for (let i = 0; i < 16; i += 1) await happen();
  await finish();
  expect(failures).not.toHaveLength(0);
  await happen();
  await finish();
  expect((await statuses()).at(-1)).toBe('delivered');
});

test('nothing is claimed after close', async () => {
  const { dispatcher, workspace, happen, finish, statuses } = await dispatching();
  dispatcher.close();
  await happen();
  await finish();
  expect(workspace.claims).toEqual([]);
  expect(await statuses()).toEqual(['pending']);
});

test('what is being claimed at close is not attempted, and waits again', async () => {
  let sent = 0;
  const { dispatcher, workspace, happen, finish, statuses } = await dispatching({
    async send() {
      sent += 1;
      return { status: 200 };
    },
    close() {},
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

test('a delivery whose attempt could not begin is due as before', async () => {
  let attempts = 0;
  const { dispatcher, happen, statuses, finish, failures } = await dispatching({
    async send() {
      attempts += 1;
      if (attempts === 1) throw new Error('the store is gone');
      return { status: 200 };
    },
    close() {},
  });
  await happen();
  await finish();
  expect(failures).toEqual([new Error('the store is gone')]);
  dispatcher.wake([subscription.id]);
  await finish();
  expect(await statuses()).toEqual(['delivered']);
});
