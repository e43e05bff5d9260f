import { dedupeStoreChecks } from 'messaging-automation/conformance';
import {
  type Clock,
  createWebhookReceiver,
  type DedupeStore,
  signWebhook,
  toFetchHandler,
} from 'messaging-automation/webhooks';
import { beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../server/support/manual-clock.js';
import { withResolvers } from '../../waiting.js';
import { messageBody } from '../delivery-body.js';

/** A store with nothing in it, and how its time is made to pass. */
export interface StoreUnderTest {
  readonly store: DedupeStore;
  pass(milliseconds: number): Promise<void> | void;
}

const minute = 60_000;
const hour = 60 * minute;

/** What every dedupe store promises, within a suite that has it at hand. */
export function keepsThePromises(createStore: () => Promise<StoreUnderTest> | StoreUnderTest): void {
  let store: DedupeStore;
  let pass: StoreUnderTest['pass'];

  beforeEach(async () => {
    ({ store, pass } = await createStore());
  });

  test.each(dedupeStoreChecks)('$name', ({ run }) => run({ store, passTime: (time) => pass(time) }));

  test('a key that is done says nothing of another that is claimed, nor its end of the other', async () => {
    const [holder, other] = ['first', 'second'];
    for (const key of ['one', 'two', 'three']) await store.claim(key, { holder, lease: hour });
    await store.commit('two', { holder, ttl: hour });
    await store.release('three', { holder });
    const claims = ['one', 'two', 'three'].map((key) => store.claim(key, { holder: other, lease: hour }));
    expect(await Promise.all(claims)).toEqual(['in_progress', 'done', 'claimed']);
    expect(await store.renew('one', { holder, lease: hour })).toBe(true);
  });

  describe('under a receiver', () => {
    test('of two duplicates at once one is handled, once, even if its handler outlives the lease', async () => {
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
      const { send, handled, open } = receiverOn(watched, clock);
      const answers = [send(), send()];
      // One may still be claiming: time that passed now would be over before its handler began.
      await expect.poll(handled).toBe(1);
      for (let time = 0; time < 9; time += 1) {
        await pass(minute / 3);
        clock.pass(minute / 3);
        await Promise.all(renewals);
      }
      open();
      const statuses: number[] = [];
      for (const answer of answers) void answer.then((status) => statuses.push(status));
      await expect
        .poll(() => {
          clock.pass(500); // until the duplicate asks again
          return statuses;
        })
        .toEqual([204, 204]);
      expect(await send()).toBe(204);
      expect(handled()).toBe(1);
    });

    test('a process that dies leaves its delivery to another', async () => {
      // Nothing more happens in it, because no time passes there.
      const dead = receiverOn(store, new ManualClock());
      const clock = new ManualClock();
      const other = receiverOn(store, clock);
      other.open();
      void dead.send();
      await expect.poll(dead.handled).toBe(1);
      const statuses: number[] = [];
      void other.send().then((status) => statuses.push(status));
      await pass(minute + 1);
      await expect
        .poll(() => {
          clock.pass(500); // until it asks again
          return statuses;
        })
        .toEqual([204]);
      expect([dead.handled(), other.handled()]).toEqual([1, 1]);
    });
  });
}

/** A receiver whose handler waits until the door is opened. */
function receiverOn(dedupe: DedupeStore, clock?: Clock) {
  const secret = 'whsec_conformance';
  const door = withResolvers();
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
    await door.promise;
  });
  const handle = toFetchHandler(receiver);
  const body = messageBody;
  const headers = { 'X-Service-Signature': signWebhook(body, secret) };
  return {
    send: async () =>
      (await handle(new Request('https://example.com/webhooks', { method: 'POST', body, headers }))).status,
    handled: () => handled,
    open: door.resolve,
  };
}
