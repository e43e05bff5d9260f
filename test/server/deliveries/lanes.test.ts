import { expect, onTestFinished, test, vi } from 'vitest';
import { attemptsBy } from '../../../src/server/deliveries/attempts.js';
import { Dispatcher } from '../../../src/server/deliveries/dispatcher.js';
import type { Attempt, AttemptResult, Sender } from '../../../src/server/deliveries/sender.js';
import { MemoryWorkspace } from '../../../src/server/store/memory/memory-workspace.js';
import { Work } from '../../../src/server/time/work.js';
import { workspaceRecord } from '../store-conformance/opening.js';
import { outboxEvent, receive } from '../store-conformance/receiving.js';
import { subscription } from '../store-conformance/subscriptions.js';
import { contextOf } from '../support/context.js';

const acknowledged: AttemptResult = { status: 200 };
const refused: AttemptResult = { error: 'refused' };

/** An attempt that a test ends. */
interface Held {
  readonly attempt: Attempt;
  readonly end: (result: AttemptResult) => void;
}

/** Sends to nobody: each attempt is under way until the test says what came of it. */
class HeldSender implements Sender {
  readonly underWay = new Set<Held>();
  /** The first bytes of what was sent, in order. */
  readonly sent: (number | undefined)[] = [];
  #tellNext = () => {};

  send(attempt: Attempt): Promise<AttemptResult> {
    this.sent.push(attempt.body[2]);
    this.#tellNext();
    return new Promise((resolve) => {
      const held = {
        attempt,
        end: (result: AttemptResult) => {
          this.underWay.delete(held);
          resolve(result);
        },
      };
      this.underWay.add(held);
    });
  }

  close() {}

  /** Resolves with the next attempt that begins. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#tellNext = resolve;
    });
  }

  /** How many attempts to the URL are under way. */
  count(url = subscription.url): number {
    return [...this.underWay].filter(({ attempt }) => attempt.url === url).length;
  }

  /** Ends what is under way now. */
  end(result: AttemptResult, url = subscription.url): void {
    for (const held of [...this.underWay]) if (held.attempt.url === url) held.end(result);
  }
}

async function dispatching() {
  const store = new MemoryWorkspace(workspaceRecord());
  await store.subscriptions.create(subscription);
  const context = contextOf(store, { retryBackoff: [10, 60] });
  const sender = new HeldSender();
  const dispatcher = new Dispatcher(context, attemptsBy(sender), () => {});
  onTestFinished(() => dispatcher.close());
  let lanes = 0;
  const { work } = context;
  vi.spyOn(work, 'start').mockImplementation((task) => {
    lanes += 1;
    void Work.prototype.start.call(work, () => task().finally(() => (lanes -= 1)));
  });
  /** Resolves once every lane that is open has an attempt under way: nothing more happens by itself. */
  const turn = async () => {
    while (lanes !== sender.underWay.size) await new Promise(setImmediate);
  };
  const happen = async (count: number) => {
    for (let i = 0; i < count; i += 1) {
      const body = new Uint8Array([0, 0, i]);
      const { subscriptionIds } = await receive(store, { ...outboxEvent(context.clock.now()), body });
      dispatcher.wake(subscriptionIds);
    }
  };
  const statuses = async () => (await store.outbox.list()).map(({ status }) => status);
  return { ...context, store, sender, dispatcher, turn, happen, statuses };
}

test('two attempts are under way to a subscription at first, twice as many after each that is acknowledged, and sixteen at the most', async () => {
  const { sender, turn, happen, statuses } = await dispatching();
  await happen(50);
  const underWay: number[] = [];
  for (let ended = 0; ended < 50; ended += 1) {
    await turn();
    underWay.push(sender.count());
    const [first] = sender.underWay;
    first?.end(acknowledged);
  }
  expect(underWay).toEqual(
    Array.from({ length: 50 }, (_, ended) => Math.min(2 ** (ended + 1), 16, 50 - ended)),
  );
  await turn();
  expect(new Set(await statuses())).toEqual(new Set(['delivered']));
});

test('one wake-up fans out to whatever is due', async () => {
  const { store, dispatcher, sender, turn } = await dispatching();
  for (let i = 0; i < 30; i += 1) await receive(store, outboxEvent());
  dispatcher.wake([subscription.id]);
  for (const underWay of [2, 8, 16]) {
    await turn();
    expect(sender.count()).toBe(underWay);
    sender.end(acknowledged);
  }
});

test('a subscription whose receiver hangs delays no other', async () => {
  const { store, sender, turn, happen, statuses } = await dispatching();
  const url = 'https://example.com/other';
  await store.subscriptions.create({ ...subscription, id: 'other', url });
  await happen(40);
  for (const underWay of [2, 8, 16, 14]) {
    await turn();
    expect([sender.count(), sender.count(url)]).toEqual([2, underWay]);
    sender.end(acknowledged, url);
  }
  await turn();
  expect((await statuses()).filter((status) => status === 'delivered')).toHaveLength(40);
});

test('retries of one time fan out once one has got through, in the order in which the deliveries came', async () => {
  const { clock, sender, turn, happen, statuses } = await dispatching();
  await happen(40);
  for (let attempted = 0; attempted < 40; attempted += 2) {
    await turn();
    expect(sender.count()).toBe(2);
    // Whichever fails first, the one that came first is retried first.
    for (const held of [...sender.underWay].reverse()) held.end(refused);
  }
  await turn();
  sender.sent.length = 0;
  const begun = sender.next();
  const advancing = clock.advance(10);
  await begun;
  await turn();
  expect(sender.count()).toBe(2);
  sender.end(acknowledged);
  for (const underWay of [8, 16, 14]) {
    await turn();
    expect(sender.count()).toBe(underWay);
    sender.end(acknowledged);
  }
  await advancing;
  expect(sender.sent).toEqual(Array.from({ length: 40 }, (_, i) => i));
  expect(new Set(await statuses())).toEqual(new Set(['delivered']));
});

test('an endpoint that fails has two attempts under way again', async () => {
  const { sender, turn, happen } = await dispatching();
  await happen(60);
  for (const underWay of [2, 8, 16]) {
    await turn();
    expect(sender.count()).toBe(underWay);
    sender.end(acknowledged);
  }
  await turn();
  expect(sender.count()).toBe(16);
  sender.end(refused);
  await turn();
  expect(sender.count()).toBe(2);
});

test('endpoints that have acknowledged nothing take turns, and one that acknowledges goes on beside them', async () => {
  const { store, sender, turn, happen } = await dispatching();
  for (let i = 0; i < 50; i += 1) {
    await store.subscriptions.create({ ...subscription, id: `dead_${i}`, url: `https://example.com/${i}` });
  }
  const url = 'https://example.com/healthy';
  await store.subscriptions.create({ ...subscription, id: 'healthy', url });
  await happen(1);
  await turn();
  sender.end(acknowledged, url);
  await turn();
  const before = new Set(sender.underWay);
  await happen(1);
  await turn();
  const begun = [...sender.underWay].filter((held) => !before.has(held)).map(({ attempt }) => attempt.url);
  expect(begun).toHaveLength(52);
  // It was woken last.
  expect(begun.indexOf(url)).toBeLessThan(10);
});

test('of more than a thousand endpoints, one that comes to rest begins with two attempts again', async () => {
  const { store, dispatcher, sender, turn, happen } = await dispatching();
  const others = Array.from({ length: 1_000 }, (_, i) => `other_${i}`);
  for (const id of others) {
    await store.subscriptions.create({ ...subscription, id, url: `https://example.com/${id}` });
  }
  await happen(1);
  await turn();
  expect(sender.underWay.size).toBe(1_001);
  sender.end(acknowledged);
  await turn();
  // Now there are a thousand, and each is remembered.
  for (const held of [...sender.underWay]) held.end(acknowledged);
  await turn();
  for (let i = 0; i < 5; i += 1) await receive(store, outboxEvent());
  dispatcher.wake([subscription.id, 'other_0', 'other_999']);
  await turn();
  expect(sender.count()).toBe(2);
  for (const id of ['other_0', 'other_999']) expect(sender.count(`https://example.com/${id}`)).toBe(4);
});

test('of however many endpoints, one with an attempt under way is not forgotten', async () => {
  const { store, sender, turn, happen } = await dispatching();
  for (let i = 0; i < 1_000; i += 1) {
    await store.subscriptions.create({ ...subscription, id: `other_${i}`, url: `https://example.com/${i}` });
  }
  await happen(2);
  await turn();
  expect(sender.count()).toBe(2);
  const [first] = [...sender.underWay].filter(({ attempt }) => attempt.url === subscription.url);
  first?.end(refused);
  await turn();
  await happen(2);
  await turn();
  expect(sender.count()).toBe(2);
});

test('a workspace that is put back makes its attempts anew, beside those that it has forgotten', async () => {
  const { store, dispatcher, sender, turn, happen } = await dispatching();
  await happen(3);
  await turn();
  expect(sender.count()).toBe(2);
  await store.replaceState(await store.readState());
  dispatcher.forget();
  await dispatcher.resume();
  await turn();
  expect(sender.count()).toBe(4);
});
