import fc from 'fast-check';
import { type DedupeStore, signWebhook } from 'messaging-automation/webhooks';
import { describe, expect, test, vi } from 'vitest';
import { ManualClock } from '../../server/support/manual-clock.js';
import {
  message,
  messageOf,
  receiverOf,
  requestOf,
  secret,
  settled,
  storeWith,
  timestamp,
  withResolvers,
} from './receive.js';

const optedIn = { ...message, event: 'contact.opted_in', data: {} };

/** A store that writes down its keys. */
function recordingStore(changes: Partial<DedupeStore> = {}) {
  const calls: string[] = [];
  const store = storeWith({
    claim: async (key, { lease }) => {
      calls.push(`claim ${key} ${lease}`);
      return 'claimed';
    },
    commit: async (key, { ttl }) => void calls.push(`commit ${key} ${ttl}`),
    release: async (key) => void calls.push(`release ${key}`),
    ...changes,
  });
  return { calls, store };
}

describe('a duplicate', () => {
  test('is acknowledged and not handled again', async () => {
    const { log, receiver, status } = receiverOf();
    const handler = vi.fn();
    receiver.on('message.received', handler);
    expect(await status(message)).toBe(204);
    expect(await status(message)).toBe(204);
    expect(handler).toHaveBeenCalledOnce();
    expect(log).toEqual([]);
  });

  test('is known by its bytes, not by its signature, and a message by its id too', async () => {
    const { receiver, status } = receiverOf({ secret: [secret, 'whsec_other'] });
    const handler = vi.fn();
    receiver.on('message.received', handler).on('contact.opted_in', handler);
    await status(message);
    const resigned = signWebhook(JSON.stringify(message), 'whsec_other').toUpperCase();
    expect(await status(message, { headers: { 'x-service-signature': resigned } })).toBe(204);
    expect(await status({ ...message, attempt: 2 })).toBe(204);
    expect(handler).toHaveBeenCalledTimes(1);

    // Of another workspace, without an id that could be one, and of a type that has none: told apart by their bytes.
    for (const other of [{ ...message, workspaceId: 'workspace_2' }, messageOf(''), optedIn])
      await status(other);
    await status({ ...optedIn, attempt: 2 });
    expect(handler).toHaveBeenCalledTimes(5);
  });

  test('of one that is being handled is answered 503 until that is done', async () => {
    const { receiver, status } = receiverOf();
    const handling = withResolvers();
    const handler = vi.fn(() => handling.promise);
    receiver.on('message.received', handler);
    const first = status(message);
    expect(await status(message)).toBe(503);
    expect(await status({ ...message, attempt: 2 })).toBe(503); // other bytes, the same message
    handling.resolve();
    expect(await first).toBe(204);
    expect(await status(message)).toBe(204);
    expect(await status({ ...message, attempt: 2 })).toBe(204);
    expect(handler).toHaveBeenCalledOnce();
  });

  test('of one that failed is handled', async () => {
    const { receiver, status } = receiverOf();
    const handler = vi.fn().mockRejectedValueOnce(new Error('no room'));
    receiver.on('message.received', handler);
    expect(await status(message)).toBe(500);
    expect(await status(message)).toBe(204);
    expect(await status(message)).toBe(204);
    expect(handler).toHaveBeenCalledTimes(2);
  });

  test('is handled again without dedupe', async () => {
    const { receiver, status } = receiverOf({ dedupe: false });
    const handler = vi.fn();
    receiver.on('message.received', handler);
    for (const expected of [204, 204]) expect(await status(message)).toBe(expected);
    expect(handler).toHaveBeenCalledTimes(2);
  });
});

test('whatever the order in which deliveries come and fail, each is handled to its end once', async () => {
  const attempts = fc.array(fc.record({ id: fc.integer({ min: 0, max: 3 }), fails: fc.boolean() }));
  await fc.assert(
    fc.asyncProperty(attempts, async (deliveries) => {
      const { receiver, status } = receiverOf();
      const handled: string[] = [];
      let fails = false;
      receiver.on('message.received', async (event) => {
        if (fails) throw new Error('no room');
        handled.push(event.data.messageId);
      });
      for (const { id, ...delivery } of deliveries) {
        ({ fails } = delivery);
        const [first, second] = await Promise.all([status(messageOf(`${id}`)), status(messageOf(`${id}`))]);
        const wasHandled = handled.includes(`${id}`);
        expect(first === 204).toBe(wasHandled);
        if (!wasHandled) expect([500, 503]).toContain(second);
      }
      expect(new Set(handled).size).toBe(handled.length);
    }),
    { numRuns: 50 },
  );
});

describe('a store', () => {
  const bytesKey = /^claim delivery:[0-9a-f]{64} 30000$/;

  test('is given two keys for a message, each claimed and committed, neither telling what it stands for', async () => {
    const { calls, store } = recordingStore();
    const { receiver, status } = receiverOf({ dedupe: store });
    receiver.on('message.received', () => {});
    await status(message);
    const window = 24 * 3_600_000 + 5 * 60_000;
    expect(calls).toEqual([
      expect.stringMatching(bytesKey),
      expect.stringMatching(/^claim message:[0-9a-f]{64} 30000$/),
      expect.stringMatching(new RegExp(`^commit delivery:[0-9a-f]{64} ${window}$`)),
      expect.stringMatching(new RegExp(`^commit message:[0-9a-f]{64} ${window}$`)),
    ]);
  });

  test.each([
    ['what is set', { lease: 1, rememberFor: 2 }, 2],
    ['the window, if that is longer than a minute', { lease: 1, tolerance: { past: 0, future: 0 } }, 60_000],
    ['seven days at the most', { lease: 1, tolerance: false as const }, 7 * 24 * 3_600_000],
  ])('remembers for %s', async (_, options, ttl) => {
    const { calls, store } = recordingStore();
    const { receiver, status } = receiverOf({ dedupe: store, ...options });
    receiver.on('contact.opted_in', () => {});
    expect(await status({ ...optedIn, timestamp })).toBe(204);
    expect(calls).toEqual([
      expect.stringMatching(/^claim delivery:\w+ 1$/),
      expect.stringMatching(new RegExp(` ${ttl}$`)),
    ]);
  });

  test.each(['in_progress', 'done'] as const)(
    'that has the message %s gets the bytes back',
    async (state) => {
      const { calls, store } = recordingStore();
      const claim: DedupeStore['claim'] = async (key, options) =>
        key.startsWith('message:') ? state : store.claim(key, options);
      const { status } = receiverOf({ dedupe: { ...store, claim } });
      expect(await status(message)).toBe(state === 'done' ? 204 : 503);
      expect(calls).toEqual([expect.stringMatching(bytesKey), expect.stringMatching(/^release delivery:/)]);
    },
  );

  test('that cannot claim answers 500, and gets back what it gave', async () => {
    const { calls, store } = recordingStore({ release: () => Promise.reject(new Error('still down')) });
    const claim: DedupeStore['claim'] = async (key, options) => {
      if (key.startsWith('message:')) throw new Error('down');
      return store.claim(key, options);
    };
    const { log, status } = receiverOf({ dedupe: { ...store, claim } });
    expect(await status(message)).toBe(500);
    expect(log).toMatchObject([['error', { message: 'down' }, { event: message, willBeRetried: true }]]);
    expect(calls).toHaveLength(1);
  });

  test('that cannot commit does not make the service send again what was handled', async () => {
    const { store } = recordingStore({ commit: () => Promise.reject(new Error('down')) });
    const { log, receiver, status } = receiverOf({ dedupe: store });
    receiver.on('message.received', () => {});
    expect(await status(message)).toBe(204);
    expect(log).toMatchObject([['error', { message: 'down' }, { willBeRetried: false }]]);
  });

  test('that cannot release is told of beside the handler', async () => {
    const { store } = recordingStore({ release: () => Promise.reject(new Error('down')) });
    const { log, receiver, status } = receiverOf({ dedupe: store });
    receiver.on('message.received', () => Promise.reject(new Error('no room')));
    expect(await status(message)).toBe(500);
    await settled();
    expect(log).toMatchObject([
      ['error', { message: 'no room' }, { willBeRetried: true }],
      ['error', { message: 'down' }, { willBeRetried: true }],
    ]);
  });
});

describe('a claim', () => {
  const renewals = (calls: readonly string[]) => calls.filter((call) => call.startsWith('renew'));

  function renewingStore(changes: Partial<DedupeStore> = {}) {
    const { calls, store } = recordingStore(changes);
    const renew: DedupeStore['renew'] = async (key, options) => {
      calls.push(`renew ${key} ${options.lease}`);
      return changes.renew?.(key, options) ?? true;
    };
    return { calls, store: { ...store, renew } };
  }

  function handlingAt(dedupe: DedupeStore) {
    const world = receiverOf({ dedupe });
    const handling = withResolvers();
    world.receiver.on('message.received', () => handling.promise);
    return { ...world, handling };
  }

  test('is renewed by each of its keys three times a lease, until the handlers are done', async () => {
    const { calls, store } = renewingStore();
    const { clock, handling, status } = handlingAt(store);
    const answer = status(message);
    await settled();
    clock.pass(9_999);
    expect(renewals(calls)).toEqual([]);
    clock.pass(1);
    expect(renewals(calls)).toEqual([
      expect.stringMatching(/^renew delivery:[0-9a-f]{64} 30000$/),
      expect.stringMatching(/^renew message:[0-9a-f]{64} 30000$/),
    ]);
    clock.pass(10_000);
    expect(renewals(calls)).toHaveLength(4);
    expect(await answer).toBe(503); // its time was up long ago
    handling.resolve();
    await settled();
    expect(clock.waiting).toBe(0);
    clock.pass(10_000);
    expect(renewals(calls)).toHaveLength(4);
  });

  test('is renewed no more once another has it', async () => {
    const { calls, store } = renewingStore({ renew: async (key) => key.startsWith('delivery:') });
    const { clock, status } = handlingAt(store);
    await Promise.race([status(message), settled()]);
    clock.pass(10_000);
    await settled();
    expect(renewals(calls)).toHaveLength(2);
    expect(clock.waiting).toBe(0);
  });

  test('that cannot be renewed is told of, and tried again', async () => {
    const { calls, store } = renewingStore({ renew: () => Promise.reject(new Error('down')) });
    const { clock, handling, log, status } = handlingAt(store);
    const answer = status(message);
    await settled();
    clock.pass(1_000);
    clock.pass(9_000);
    await settled();
    clock.pass(10_000);
    expect(renewals(calls)).toHaveLength(4);
    handling.resolve();
    await answer;
    const errors = () => log.filter(([hook]) => hook === 'error');
    expect(errors()).toMatchObject([['error', { message: 'down' }, { event: message }]]);
    await settled();
    expect(errors()).toHaveLength(1); // one that failed when it was needed no more is nobody's concern
  });
});

test('the keys are the same where there is no node:crypto', async () => {
  const keys = async () => {
    vi.resetModules();
    const { createWebhookReceiver } = await import('messaging-automation/webhooks');
    const { calls, store } = recordingStore();
    const receiver = createWebhookReceiver<string>({ secret, dedupe: store, clock: new ManualClock() });
    receiver.on('message.received', () => {});
    expect((await receiver.receive(requestOf(message))).status).toBe(204);
    return calls;
  };
  const native = await keys();
  const without = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
  expect(await keys()).toEqual(native);
  without.mockRestore();
});
