import { signWebhook } from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import { withResolvers } from '../../waiting.js';
import {
  bytesOf,
  handledBy,
  message,
  messageOf,
  receiverOf,
  requestOf,
  settled,
  storeWith,
} from './receive.js';

/** More than one, so that what is not given back adds up: 64 MB of bodies that are not verified are the most. */
const size = 33 * 1024 * 1024;

/** A body that is counted as large as this while it arrives. */
const heavy = (body: unknown) => (_: number, hold: (bytes: number) => void) => {
  hold(size);
  return bytesOf(body);
};
/** A body that is counted, and then comes or not. */
const heavyUntil = (arrive: () => Promise<Uint8Array>) => (_: number, hold: (bytes: number) => void) => {
  hold(size);
  return arrive();
};
const signed = (body: unknown, key = 'whsec_other') => ({
  'x-service-signature': signWebhook(bytesOf(body), key),
});
const own = (body: unknown) => requestOf(body).headers;

type Sent = Parameters<ReturnType<typeof receiverOf>['status']>;

describe('the bytes of a body are given back', () => {
  const broken = () => Promise.reject(new Error('no room'));
  test.each<[string, number, Sent, Parameters<typeof handledBy>[0], (() => unknown)?]>([
    ['is forged', 401, [message, { headers: signed(message), readBody: heavy(message) }], {}],
    ['is no JSON', 400, ['hello', { readBody: heavy('hello') }], {}],
    ['does not arrive', 503, [message, { readBody: heavyUntil(() => new Promise(() => {})) }], {}],
    ['breaks off', 500, [message, { readBody: heavyUntil(broken) }], {}],
    ['is too large', 413, [message, { readBody: heavyUntil(async () => new Uint8Array(2_000_000)) }], {}],
    [
      'waits for a secret in vain',
      503,
      [message, { readBody: heavy(message) }],
      { secret: () => new Promise(() => {}) },
    ],
    ['has no secret', 500, [message, { readBody: heavy(message) }], { secret: broken }],
    ['is handled', 204, [message, { readBody: heavy(message) }], { dedupe: false }],
    [
      'cannot be claimed',
      503,
      [message, { readBody: heavy(message) }],
      { dedupe: storeWith({ claim: broken }) },
    ],
    ['fails in its handler', 500, [message, { readBody: heavy(message) }], {}, broken],
    [
      'is handled for too long',
      503,
      [message, { readBody: heavy(message) }],
      { dedupe: false },
      () => new Promise(() => {}),
    ],
  ])('of a delivery that %s', async (_, expected, sent, options, handle) => {
    const { clock, log, status } = handledBy(options, handle);
    for (let time = 0; time < 3; time += 1) {
      const response = status(...sent);
      await clock.passSettled(expected === 503 ? 4_500 : 0);
      expect(await response).toBe(expected);
    }
    expect(log.filter(([, error]) => Object(error).reason === 'overloaded')).toEqual([]);
  });
});

describe('the place of a delivery among maxConcurrent is given back', () => {
  const options = { maxConcurrent: 1 };
  test.each<[string, number, () => unknown, Parameters<typeof receiverOf>[0]?]>([
    ['is handled', 204, () => {}],
    ['fails', 500, () => Promise.reject(new Error('no room'))],
    ['cannot be handed over', 503, () => {}, { enqueue: () => Promise.reject(new Error('down')) }],
    ['is handed over', 204, () => {}, { enqueue: () => {} }],
    ['has no key', 500, () => {}, { dedupeKey: () => '' }],
    ['meets a faulty store', 500, () => {}, { dedupe: storeWith({ claim: async () => 'yes' as 'claimed' }) }],
    ['runs in order', 204, () => {}, { inOrder: 'contact' }],
  ])('that %s', async (_, expected, handle, more) => {
    const { receiver, status } = receiverOf({ ...options, ...more });
    receiver.on('message.received', handle);
    for (const id of ['1', '2', '3']) expect(await status(messageOf(id))).toBe(expected);
    expect(await receiver.drain({ timeout: 0 })).toEqual([]);
  });

  test('that is a duplicate, refused or late', async () => {
    const { clock, receiver, status } = receiverOf({ ...options, onSlowHandler: () => {} });
    const handling = withResolvers();
    receiver.on('message.received', ({ data }) => (data.messageId === 'slow' ? handling.promise : undefined));
    expect(await status(message)).toBe(204);
    expect(await status(message)).toBe(204);
    expect(await status(message, { headers: own('other') })).toBe(401);
    const late = status(messageOf('slow'));
    await clock.passSettled(4_500);
    expect(await late).toBe(503);
    expect(await status(messageOf('2'))).toBe(503);
    handling.resolve();
    await settled();
    expect(await status(messageOf('2'))).toBe(204);
    expect(clock.waiting).toBe(0);
  });
});

describe('drain waits for one kind of work alone', () => {
  /** Begins the work, and returns what ends it. */
  type Begin = () => {
    readonly receiver: ReturnType<typeof receiverOf>['receiver'];
    readonly end: () => unknown;
  };
  test.each<[string, string, Begin]>([
    [
      'a body that arrives',
      'reading',
      () => {
        const body = withResolvers<Uint8Array>();
        const { receiver, status } = receiverOf();
        void status(message, { readBody: () => body.promise });
        return { receiver, end: () => body.resolve(bytesOf(message)) };
      },
    ],
    [
      'a secret that comes',
      'verifying',
      () => {
        const secret = withResolvers<string | undefined>();
        const { receiver, status } = receiverOf({ secret: () => secret.promise });
        void status(message);
        return { receiver, end: () => secret.resolve(undefined) };
      },
    ],
    [
      'a claim that comes',
      'claiming',
      () => {
        const claim = withResolvers<'done'>();
        const { receiver, status } = receiverOf({ dedupe: storeWith({ claim: () => claim.promise }) });
        void status(message);
        return { receiver, end: () => claim.resolve('done') };
      },
    ],
    [
      'a queue that takes a job',
      'handling',
      () => {
        const taken = withResolvers();
        const { receiver, status } = receiverOf({ enqueue: () => taken.promise });
        void status(message);
        return { receiver, end: () => taken.resolve() };
      },
    ],
    [
      'a record that is made',
      'handling',
      () => {
        const commit = withResolvers();
        const { receiver, status } = handledBy({ dedupe: storeWith({ commit: () => commit.promise }) });
        void status(message);
        return { receiver, end: () => commit.resolve() };
      },
    ],
    [
      'a response that is written',
      'responding',
      () => {
        let written = () => {};
        const { receiver, status } = handledBy();
        const onWritten = (listener: () => void) => {
          written = listener;
        };
        void status(message, { onWritten });
        return { receiver, end: () => written() };
      },
    ],
  ])('%s', async (_, step, begin) => {
    const { receiver, end } = begin();
    await settled();
    const drained = receiver.drain();
    await settled();
    expect(await Promise.race([drained, 'not yet'])).toBe('not yet');
    const seen = receiver.drain({ timeout: 0 });
    end();
    expect(await drained).toEqual([]);
    expect(step).toBeTypeOf('string');
    void seen;
  });
});
