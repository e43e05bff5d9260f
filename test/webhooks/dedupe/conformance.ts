import {
  type Clock,
  createWebhookReceiver,
  type DedupeStore,
  signWebhook,
  toFetchHandler,
} from 'messaging-automation/webhooks';
import { beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../server/support/manual-clock.js';

/** A store with nothing in it, and how its time is made to pass. */
export interface StoreUnderTest {
  readonly store: DedupeStore;
  pass(milliseconds: number): Promise<void> | void;
}

const minute = 60_000;
const hour = 60 * minute;
const key = `delivery:${'0'.repeat(64)}`;

/** What every dedupe store promises, within a suite that has it at hand. */
export function keepsThePromises(createStore: () => Promise<StoreUnderTest> | StoreUnderTest): void {
  let store: DedupeStore;
  let pass: StoreUnderTest['pass'];

  beforeEach(async () => {
    ({ store, pass } = await createStore());
  });

  const claim = (holder: string, of = key) => store.claim(of, { holder, lease: minute });

  describe('claims', () => {
    test('gives a key to one of a hundred that claim it at once', async () => {
      const claims = await Promise.all(Array.from({ length: 100 }, (_, index) => claim(`holder ${index}`)));

      expect(claims.filter((one) => one === 'claimed')).toHaveLength(1);
      expect(claims.filter((one) => one === 'in_progress')).toHaveLength(99);
    });

    test('gives a key whose lease is over to one of a hundred', async () => {
      await claim('died');
      await pass(minute + 1);

      const claims = await Promise.all(Array.from({ length: 100 }, (_, index) => claim(`holder ${index}`)));

      expect(claims.filter((one) => one === 'claimed')).toHaveLength(1);
    });

    test('keeps a claim until its lease is over', async () => {
      await claim('first');
      await pass(minute / 2);

      expect(await claim('second')).toBe('in_progress');
      expect(await claim('first')).toBe('in_progress');

      await pass(minute / 2 + 1);
      expect(await claim('second')).toBe('claimed');
    });

    test('keeps keys apart', async () => {
      expect(await claim('first', 'delivery:1')).toBe('claimed');
      expect(await claim('second', 'delivery:2')).toBe('claimed');
      await store.commit('delivery:1', { holder: 'first', ttl: hour });
      await store.release('delivery:2', { holder: 'second' });

      expect(await claim('third', 'delivery:1')).toBe('done');
      expect(await claim('third', 'delivery:2')).toBe('claimed');
    });
  });

  describe('renewals', () => {
    const renew = (holder: string) => store.renew(key, { holder, lease: minute });

    test('begin the lease anew, again and again', async () => {
      await claim('first');
      for (let time = 0; time < 5; time += 1) {
        await pass(minute / 2 + 1);
        expect(await renew('first')).toBe(true);
      }
      expect(await claim('second')).toBe('in_progress');

      await pass(minute + 1);
      expect(await claim('second')).toBe('claimed');
    });

    test('do nothing for another holder, or where there is nothing', async () => {
      expect(await renew('first')).toBe(false);
      await claim('first');
      expect(await renew('second')).toBe(false);
      await pass(minute + 1);

      expect(await claim('second')).toBe('claimed');
    });

    test('bring back nothing that is over, given up or taken over', async () => {
      await claim('slow');
      await pass(minute + 1);
      expect(await renew('slow')).toBe(false);
      expect(await claim('second')).toBe('claimed');
      expect(await renew('slow')).toBe(false);
      await store.release(key, { holder: 'second' });
      expect(await renew('second')).toBe(false);

      expect(await claim('third')).toBe('claimed');
    });

    test.for(['first', 'done'])('never undo or shorten a commit, whoever asks: %s', async (holder) => {
      await claim('first');
      await store.commit(key, { holder: 'first', ttl: hour });
      expect(await renew(holder)).toBe(false);
      await pass(hour - minute);

      expect(await claim('second')).toBe('done');
    });
  });

  describe('commits', () => {
    test('remembers what is done for as long as told, and no longer', async () => {
      await claim('first');
      await store.commit(key, { holder: 'first', ttl: hour });
      await pass(hour - minute);

      expect(await claim('second')).toBe('done');

      await pass(minute + 1);
      expect(await claim('second')).toBe('claimed');
    });

    test('takes the word of a holder whose lease is over, or went to another', async () => {
      await claim('slow');
      await pass(minute + 1);
      await claim('second');
      await store.commit(key, { holder: 'slow', ttl: hour });

      expect(await claim('third')).toBe('done');
    });

    test('takes a commit of what nobody claimed', async () => {
      await store.commit(key, { holder: 'first', ttl: hour });

      expect(await claim('second')).toBe('done');
    });
  });

  describe('releases', () => {
    test('frees what its holder gives up', async () => {
      await claim('first');
      await store.release(key, { holder: 'first' });

      expect(await claim('second')).toBe('claimed');
    });

    test('does nothing for another holder', async () => {
      await claim('first');
      await store.release(key, { holder: 'second' });

      expect(await claim('second')).toBe('in_progress');
    });

    test('leaves a claim alone that another took over', async () => {
      await claim('slow');
      await pass(minute + 1);
      await claim('second');
      await store.release(key, { holder: 'slow' });

      expect(await claim('third')).toBe('in_progress');
    });

    test.for(['first', 'second', 'done'])('never undoes a commit, whoever asks: %s', async (holder) => {
      await claim('first');
      await store.commit(key, { holder: 'first', ttl: hour });
      await store.release(key, { holder });

      expect(await claim('third')).toBe('done');
    });

    test('does nothing where there is nothing', async () => {
      await store.release(key, { holder: 'first' });

      expect(await claim('first')).toBe('claimed');
    });
  });

  test('a holder may have any name', async () => {
    const name = `done'"; DROP TABLE é\u{1F600}`;
    await claim(name);
    expect(await claim('second')).toBe('in_progress');
    await store.release(key, { holder: name });

    expect(await claim('done')).toBe('claimed');
    expect(await claim('second')).toBe('in_progress');
  });

  describe('under a receiver', () => {
    test('of two duplicates at once, one is handled', async () => {
      const { send, handled, open } = receiverOn(store);
      const answers = [send(), send()];

      // The handler waits for the door, so the first answer is that of the other one.
      expect(await Promise.race(answers)).toBe(503);
      open();
      expect((await Promise.all(answers)).sort()).toEqual([204, 503]);
      expect(await send()).toBe(204);
      expect(handled()).toBe(1);
    });

    test('a handler that failed gets the delivery again', async () => {
      const { send, handled, open } = receiverOn(store, { failing: 1 });
      open();

      expect(await send()).toBe(500);
      expect(await send()).toBe(204);
      expect(await send()).toBe(204);
      expect(handled()).toBe(2);
    });

    test('a handler that outlives its lease runs once', async () => {
      const clock = new ManualClock();
      const renewals: Promise<boolean>[] = [];
      const watched: DedupeStore = {
        ...store,
        renew: (...claimed) => {
          const renewal = store.renew(...claimed);
          renewals.push(renewal);
          return renewal;
        },
      };
      const { send, handled, open } = receiverOn(watched, { clock });
      const answers = [send(), send()];
      expect(await Promise.race(answers)).toBe(503);
      // The other may still be claiming: time that passed now would be over before its handler began.
      await expect.poll(handled).toBe(1);
      for (let time = 0; time < 9; time += 1) {
        await pass(minute / 3);
        clock.pass(minute / 3);
        await Promise.all(renewals);
        expect(await send()).toBe(503);
      }
      open();
      expect((await Promise.all(answers)).sort()).toEqual([204, 503]);
      expect(await send()).toBe(204);
      expect(handled()).toBe(1);
    });

    test('a process that dies leaves its delivery to another', async () => {
      // Nothing more happens in it, because no time passes there.
      const dead = receiverOn(store, { clock: new ManualClock() });
      const other = receiverOn(store);
      other.open();
      expect(await Promise.race([dead.send(), dead.send()])).toBe(503);
      await expect.poll(dead.handled).toBe(1);
      expect(await other.send()).toBe(503);
      await pass(minute + 1);

      expect(await other.send()).toBe(204);
      expect([dead.handled(), other.handled()]).toEqual([1, 1]);
    });
  });
}

/** A receiver whose handler waits until the door is opened, and fails as often as told. */
function receiverOn(dedupe: DedupeStore, { failing = 0, clock }: { failing?: number; clock?: Clock } = {}) {
  const secret = 'whsec_conformance';
  let open = (): void => {};
  const door = new Promise<void>((resolve) => {
    open = resolve;
  });
  let handled = 0;
  const receiver = createWebhookReceiver<Request>({
    secret,
    dedupe,
    clock,
    lease: minute,
    deadline: hour,
    rememberFor: hour,
    tolerance: false,
    onError: () => {},
  }).on('message.received', async () => {
    handled += 1;
    await door;
    if (handled <= failing) throw new Error('The handler failed.');
  });
  const handle = toFetchHandler(receiver);
  const body = JSON.stringify({
    event: 'message.received',
    workspaceId: 'workspace_1',
    timestamp: '2026-01-01T00:00:00.000Z',
    data: {
      messageId: 'message_1',
      contactId: 'contact_1',
      phone: '+14155550100',
      conversationId: 'conversation_1',
      type: 'text',
      body: 'Hello',
      receivedAt: '2026-01-01T00:00:00.000Z',
    },
  });
  const headers = { 'X-Service-Signature': signWebhook(body, secret) };
  return {
    send: async () =>
      (await handle(new Request('https://example.com/webhooks', { method: 'POST', body, headers }))).status,
    handled: () => handled,
    open,
  };
}
