import { expect, onTestFinished, test, vi } from 'vitest';
import { attemptsBy } from '../../../src/server/deliveries/attempts.js';
import { Dispatcher } from '../../../src/server/deliveries/dispatcher.js';
import type { AttemptResult, OutgoingAttempt, Sender } from '../../../src/server/deliveries/sender.js';
import { MemoryWorkspace } from '../../../src/server/store/memory/memory-store.js';
import { Work } from '../../../src/server/time/work.js';
import { until } from '../../waiting.js';
import { listed, workspaceRecord } from '../store-conformance/opening.js';
import { outboxEvent, receive } from '../store-conformance/receiving.js';
import { subscription } from '../store-conformance/subscriptions.js';
import { contextOf } from '../support/context.js';
import { ManualClock } from '../support/manual-clock.js';

const acknowledged: AttemptResult = { status: 200 };
const refused: AttemptResult = { error: 'refused' };

/** An attempt that a test ends. */
interface Running {
  readonly attempt: OutgoingAttempt;
  readonly end: (result: AttemptResult) => void;
}

/** Sends nothing: each attempt runs until the test ends it. */
class ManualSender implements Sender {
  readonly running = new Set<Running>();
  /** The first bytes of what was sent, in order. */
  readonly sent: (number | undefined)[] = [];
  #tellNext = () => {};

  send(attempt: OutgoingAttempt): Promise<AttemptResult> {
    this.sent.push(attempt.body[2]);
    this.#tellNext();
    return new Promise((resolve) => {
      const held = {
        attempt,
        end: (result: AttemptResult) => {
          this.running.delete(held);
          resolve(result);
        },
      };
      this.running.add(held);
    });
  }

  close() {}

  /** Resolves with the next attempt that begins. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#tellNext = resolve;
    });
  }

  /** How many attempts to the URL are running. */
  count(url = subscription.url): number {
    return [...this.running].filter(({ attempt }) => attempt.url === url).length;
  }

  /** Ends what is running now. */
  end(result: AttemptResult, url = subscription.url): void {
    for (const held of [...this.running]) if (held.attempt.url === url) held.end(result);
  }
}

async function dispatching() {
  const store = new MemoryWorkspace(workspaceRecord());
  await store.subscriptions.create(subscription);
  const context = contextOf(store, { retryBackoff: [10, 60] });
  const sender = new ManualSender();
  const dispatcher = new Dispatcher(context, attemptsBy(sender, new ManualClock(), 5_000), () => {});
  onTestFinished(() => dispatcher.close());
  let running = 0;
  const { work } = context;
  vi.spyOn(work, 'start').mockImplementation((task) => {
    running += 1;
    void Work.prototype.start.call(work, () => task().finally(() => (running -= 1)));
  });
  /** Resolves once every started attempt is a running attempt: nothing more happens by itself. */
  const turn = () =>
    until(
      'an attempt at each free place',
      () => running === sender.running.size,
      () => [running, sender.running.size],
    );
  const happen = async (count: number) => {
    for (let i = 0; i < count; i += 1) {
      const body = new Uint8Array([0, 0, i]);
      const { subscriptionIds } = await receive(store, { ...outboxEvent(context.clock.now()), body });
      dispatcher.wake(subscriptionIds);
    }
  };
  const statuses = async () => (await listed(store.outbox)).map(({ status }) => status);
  return { ...context, store, sender, dispatcher, turn, happen, statuses };
}

test('two attempts run at once at first, twice as many after each that is acknowledged, and sixteen at most', async () => {
  const { sender, turn, happen, statuses } = await dispatching();
  await happen(50);
  const running: number[] = [];
  for (let ended = 0; ended < 50; ended += 1) {
    await turn();
    running.push(sender.count());
    const [first] = sender.running;
    first?.end(acknowledged);
  }
  expect(running).toEqual(
    Array.from({ length: 50 }, (_, ended) => Math.min(2 ** (ended + 1), 16, 50 - ended)),
  );
  await turn();
  expect(new Set(await statuses())).toEqual(new Set(['delivered']));
});

test('retries of one time are made in the order of their deliveries, more at once after the first success', async () => {
  const { clock, sender, turn, happen, statuses } = await dispatching();
  await happen(40);
  for (let attempted = 0; attempted < 40; attempted += 2) {
    await turn();
    expect(sender.count()).toBe(2);
    // Whichever fails first, the one that came first is retried first.
    for (const held of [...sender.running].reverse()) held.end(refused);
  }
  await turn();
  sender.sent.length = 0;
  const begun = sender.next();
  const advancing = clock.advance(10);
  await begun;
  await turn();
  expect(sender.count()).toBe(2);
  sender.end(acknowledged);
  for (const running of [8, 16, 14]) {
    await turn();
    expect(sender.count()).toBe(running);
    sender.end(acknowledged);
  }
  await advancing;
  expect(sender.sent).toEqual(Array.from({ length: 40 }, (_, i) => i));
  expect(new Set(await statuses())).toEqual(new Set(['delivered']));
});

test('after one failure of sixteen the limit is two again, and doubles from there', async () => {
  const { sender, turn, happen } = await dispatching();
  await happen(60);
  for (const running of [2, 8, 16]) {
    await turn();
    expect(sender.count()).toBe(running);
    sender.end(acknowledged);
  }
  await turn();
  const [failing, succeeding] = sender.running;
  failing?.end(refused);
  await turn();
  expect(sender.count()).toBe(15);
  succeeding?.end(acknowledged);
  await turn();
  expect(sender.count()).toBe(14);
  sender.end(refused);
  await turn();
  expect(sender.count()).toBe(2);
});

test('endpoints that have not acknowledged anything take turns, and one that acknowledges does not wait for them', async () => {
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
  const before = new Set(sender.running);
  await happen(1);
  await turn();
  const begun = [...sender.running].filter((held) => !before.has(held)).map(({ attempt }) => attempt.url);
  expect(begun).toHaveLength(52);
  // It was woken last.
  expect(begun.indexOf(url)).toBeLessThan(10);
});

test('of more than a thousand endpoints, one with a running attempt keeps its limit', async () => {
  const { store, sender, turn, happen } = await dispatching();
  for (let i = 0; i < 1_000; i += 1) {
    await store.subscriptions.create({ ...subscription, id: `other_${i}`, url: `https://example.com/${i}` });
  }
  await happen(2);
  await turn();
  expect(sender.count()).toBe(2);
  const [first] = [...sender.running].filter(({ attempt }) => attempt.url === subscription.url);
  first?.end(refused);
  await turn();
  await happen(2);
  await turn();
  expect(sender.count()).toBe(2);
});

test('a restored workspace attempts its deliveries again, beside the attempts of before', async () => {
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
