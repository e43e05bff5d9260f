import { createHash } from 'node:crypto';
import {
  createMemoryDedupeStore,
  type DedupeStore,
  signWebhook,
  type WebhookContext,
  type WebhookEvent,
  type WebhookReceiverOptions,
} from 'messaging-automation/webhooks';
import { describe, expect, test, vi } from 'vitest';
import { withResolvers } from '../../waiting.js';
import {
  handledBy,
  message,
  messageOf,
  receiverOf,
  recordingStore,
  secret,
  settled,
  slowReceiver,
  storeWith,
  timestamp,
} from './receive.js';

const optedIn = { ...message, event: 'contact.opted_in', data: {} };

describe('a duplicate', () => {
  test('is known by its bytes, and a message by its id', async () => {
    const { handler, status } = handledBy();
    await status(message);
    const inCapitals = signWebhook(JSON.stringify(message), secret).toUpperCase();
    expect(await status(message, { headers: { 'x-service-signature': inCapitals } })).toBe(204);
    expect(await status({ ...message, attempt: 2 })).toBe(204);
    expect(handler).toHaveBeenCalledTimes(1);
    for (const _ of [1, 2]) expect(await status({ ...message, workspaceId: 'workspace_2' })).toBe(204);
    expect(handler).toHaveBeenCalledTimes(2);
  });

  test.each<[string, object]>([
    ['its message id is a number', { ...message, data: { ...message.data, messageId: 7 } }],
    ['its message id is empty', messageOf('')],
    ['it is of a type that has no message id', optedIn],
  ])('is known by its bytes where %s', async (_, delivery) => {
    const { handler, receiver, status } = handledBy();
    receiver.on('contact.opted_in', handler);
    for (const attempt of [1, 2, 1, 2]) {
      const body = { ...delivery, attempt };
      const signature = signWebhook(JSON.stringify(body), secret).toUpperCase();
      expect(await status(body)).toBe(204);
      expect(await status(body, { headers: { 'x-service-signature': signature } })).toBe(204);
    }
    expect(handler).toHaveBeenCalledTimes(2);
  });

  test('is forgotten when its time is up by the clock of the receiver', async () => {
    const { clock, handler, status } = handledBy({ rememberFor: 1_000 });
    for (const _ of [1, 2]) expect(await status(message)).toBe(204);
    clock.pass(999);
    expect(await status(message)).toBe(204);
    expect(handler).toHaveBeenCalledOnce();
    clock.pass(1);
    expect(await status(message)).toBe(204);
    expect(handler).toHaveBeenCalledTimes(2);
  });

  test('is handled again without dedupe', async () => {
    const { handler, status } = handledBy({ dedupe: false });
    for (const expected of [204, 204]) expect(await status(message)).toBe(expected);
    expect(handler).toHaveBeenCalledTimes(2);
  });
});

describe('a store', () => {
  test('is given the keys that other versions of this package left in it', async () => {
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    const ids = [message.workspaceId, message.data.messageId];
    const signature = signWebhook(JSON.stringify(optedIn), secret);
    for (const [options, body, key] of [
      [{}, message, `message:${sha256(JSON.stringify([secret, ...ids]))}`],
      // Two processes of one receiver may have the secret as text and as bytes.
      [{ secret: Buffer.from(secret) }, message, `message:${sha256(JSON.stringify([secret, ...ids]))}`],
      [{}, optedIn, `delivery:${sha256(signature)}`],
      [{ dedupeKey: () => 'mine' }, optedIn, `own:${sha256('mine')}`],
    ] as const) {
      const { calls, store } = recordingStore();
      expect(await receiverOf({ dedupe: store, ...options }).status(body)).toBe(204);
      expect(calls[0]).toBe(`claim ${key} 30000`);
    }
  });

  test.each([
    ['what is set', { lease: 100, rememberFor: 2 }, 2],
    ['a day and five minutes by default', { lease: 100 }, 24 * 3_600_000 + 300_000],
    [
      'the window, if that is longer than a minute',
      { lease: 100, tolerance: { past: 0, future: 0 } },
      60_000,
    ],
    ['seven days where the window has no end', { lease: 100, tolerance: false as const }, 7 * 24 * 3_600_000],
  ])('remembers for %s', async (_, options, ttl) => {
    const { calls, store } = recordingStore();
    const { receiver, status } = receiverOf({ dedupe: store, ...options });
    receiver.on('contact.opted_in', () => {});
    expect(await status({ ...optedIn, timestamp })).toBe(204);
    expect(calls).toEqual([
      expect.stringMatching(/^claim delivery:\w+ 100$/),
      expect.stringMatching(new RegExp(` ${ttl}$`)),
    ]);
  });

  test('that cannot claim is asked again by the same holder, and the delivery is handled when it can', async () => {
    const holders: string[] = [];
    const claim: DedupeStore['claim'] = async (_, { holder }) => {
      if (holders.push(holder) < 3) throw new Error('the connection was lost');
      return 'claimed';
    };
    const { clock, handler, log, status } = handledBy({ dedupe: storeWith({ claim }) });
    const response = status(message);
    for (const _ of [1, 2]) {
      await clock.passSettled(500);
    }
    expect(await response).toBe(204);
    expect([new Set(holders).size, handler.mock.calls.length, log]).toEqual([1, 1, []]);
    expect(clock.waiting).toBe(0);
  });

  test.each<[string, () => Promise<never>]>([
    ['takes forever', () => new Promise(() => {})],
    ['fails too', () => Promise.reject(new Error('down'))],
  ])(
    'that cannot claim is reported once at the deadline, and given up a lease later, if its release %s',
    async (_, release) => {
      const releases = vi.fn(release);
      const store = storeWith({ claim: () => Promise.reject(new Error('down')), release: releases });
      const { clock, handler, log, status } = handledBy({ dedupe: store });
      const response = status(message);
      for (let time = 0; time <= 4_500 + 30_000; time += 500) {
        await clock.passSettled(500);
      }
      expect(await response).toBe(503);
      await settled();
      expect(log).toMatchObject([['error', { message: 'down' }, { event: message, willBeRetried: true }]]);
      expect([handler.mock.calls.length, releases.mock.calls.length, clock.waiting]).toEqual([0, 1, 0]);
    },
  );

  test.each<[unknown, string]>([
    [false, 'false'],
    [{ state: 'claimed' }, 'a value of type object'],
  ])('whose claim resolves to %j starts no handler, and its fault is named', async (response, named) => {
    const claim = vi.fn(async () => response);
    const store = storeWith({ claim: claim as unknown as DedupeStore['claim'] });
    const { handler, log, status } = handledBy({ dedupe: store });
    expect(await status(message)).toBe(500);
    expect(handler).not.toHaveBeenCalled();
    const text =
      `The dedupe store's claim() resolved to ${named}; it must resolve to 'claimed', 'in_progress' or 'done'. ` +
      'Correct the store.';
    expect(log).toMatchObject([
      ['error', { reason: 'store_fault', message: text }, { event: message, willBeRetried: true }],
    ]);
  });

  test('that cannot commit is asked again until it can, while the claim is renewed and a duplicate is done', async () => {
    const failure = ['error', { message: 'down' }, { willBeRetried: false }];
    let isDown = true;
    const commit = async () => {
      if (isDown) throw new Error('down');
    };
    const { calls, store } = recordingStore({ commit });
    const { clock, handler, log, receiver, status } = handledBy({
      dedupe: store,
      onHandled: (event) => log.push(['handled', event]),
      onDuplicate: (event, { state }) => log.push([state, event]),
    });
    expect(await status(message)).toBe(204);
    expect(log).toMatchObject([failure]);
    for (const pause of [250, 500, 1_000, 2_000, 4_000, 5_000]) {
      await clock.passSettled(pause);
    }
    expect(calls.some((call) => call.startsWith('renew'))).toBe(true);
    expect(await status(message)).toBe(204);
    expect(handler).toHaveBeenCalledTimes(1);

    isDown = false;
    clock.pass(5_000);
    expect(await receiver.drain({ timeout: 1 })).toEqual([]);
    expect(log).toMatchObject([failure, ['done', message], ['handled', message]]);
    expect(clock.waiting).toBe(0);
  });

  test('that cannot commit for five minutes is given up, and the delivery does not count as handled', async () => {
    const { store } = recordingStore({ commit: () => Promise.reject(new Error('down')) });
    const { clock, log, receiver, status } = handledBy({
      dedupe: store,
      onHandled: (event) => log.push(['handled', event]),
    });
    expect(await status(message)).toBe(204);
    for (let seconds = 0; seconds < 305; seconds += 1) {
      await clock.passSettled(1_000);
    }
    expect(await receiver.drain({ timeout: 1 })).toEqual([]);
    expect(log.filter(([hook]) => hook === 'handled')).toEqual([]);
    expect(clock.waiting).toBe(0);
  });
});

describe('several subscriptions on one receiver', () => {
  const secrets = { first: 'whsec_first', second: 'whsec_second' };
  type Tenant = keyof typeof secrets;
  const signedBy = (tenant: Tenant, body: unknown) =>
    ({
      headers: { 'x-service-signature': signWebhook(JSON.stringify(body), secrets[tenant]) },
      request: tenant,
    }) as const;

  test.each<[string, WebhookReceiverOptions<string>['secret']]>([
    ['a list', Object.values(secrets)],
    ['a function', (tenant) => (tenant === 'first' ? secrets.first : secrets.second)],
  ])('are each handed the same event once, by %s of secrets', async (_, secret) => {
    const { receiver, status } = receiverOf({ secret });
    const handler = vi.fn((_event: unknown, { request }: WebhookContext<string>) => request);
    receiver.on('message.received', handler).on('contact.opted_in', handler);
    for (const body of [message, optedIn]) {
      for (const tenant of ['first', 'second', 'first', 'second'] as const) {
        expect(await status(body, signedBy(tenant, body))).toBe(204);
      }
    }
    const handled = handler.mock.results.map(({ value }) => value);
    expect(handled).toEqual(['first', 'second', 'first', 'second']);
  });

  test("do not claim each other's deliveries, whatever ids a tenant knows", async () => {
    const { receiver, status } = receiverOf({
      secret: (tenant) => (tenant === 'first' ? secrets.first : secrets.second),
    });
    const handled: string[] = [];
    receiver.on('message.received', (event, { request }) => handled.push(`${request}: ${event.data.body}`));
    const forged = { ...message, data: { ...message.data, body: 'forged' } };
    expect(await status(forged, signedBy('second', forged))).toBe(204);
    expect(await status(message, signedBy('first', message))).toBe(204);
    expect(handled).toEqual(['second: forged', `first: ${message.data.body}`]);
  });

  test('tell secrets in text from secrets in bytes that are written alike', async () => {
    const bytes = Uint8Array.of(0xab, 0xcd);
    const { handler, status } = handledBy({ secret: [bytes, 'abcd'] });
    for (const secret of [bytes, 'abcd', bytes]) {
      const headers = { 'x-service-signature': signWebhook(JSON.stringify(message), secret) };
      expect(await status(message, { headers })).toBe(204);
    }
    expect(handler).toHaveBeenCalledTimes(2);
  });

  test('may have one key for both by dedupeKey', async () => {
    const dedupeKey = vi.fn((event: WebhookEvent) => JSON.stringify(event));
    const { calls, store } = recordingStore();
    const { receiver, status } = receiverOf({ secret: Object.values(secrets), dedupeKey, dedupe: store });
    receiver.on('contact.opted_in', () => {});
    await status(optedIn, signedBy('first', optedIn));
    await status(optedIn, signedBy('second', optedIn));
    const claimed = calls.filter((call) => call.startsWith('claim'));
    expect(claimed[0]).toMatch(/^claim own:[0-9a-f]{64} 30000$/);
    expect(claimed[1]).toBe(claimed[0]);
    expect(dedupeKey.mock.calls[1]).toMatchObject([optedIn, { request: 'second', secretIndex: 1 }]);
  });

  test.each<[string, () => string, string]>([
    ['is empty', () => '', 'dedupeKey must return a string that is not empty.'],
    [
      'throws',
      () => {
        throw new TypeError('no key');
      },
      'no key',
    ],
  ])('a dedupeKey that %s fails closed', async (_, dedupeKey, text) => {
    const { handler, log, status } = handledBy({ dedupeKey });
    expect(await status(message)).toBe(500);
    expect(handler).not.toHaveBeenCalled();
    expect(log).toEqual([['error', new TypeError(text), expect.objectContaining({ event: message })]]);
  });
});

describe('a claim', () => {
  const errorsIn = (log: readonly unknown[][]) => log.filter(([hook]) => hook === 'error');

  test.each([
    ['1', '2'],
    ['2', '1'],
  ])(
    'is renewed three times a lease, under its own key and holder, until its own end: of two, %s ends before %s',
    async (first, last) => {
      const claims: unknown[][] = [];
      const renewed: unknown[][] = [];
      const store = storeWith({
        claim: async (key, { holder, lease }) => {
          claims.push([key, holder, lease]);
          return 'claimed';
        },
        renew: async (key, { holder, lease }) => renewed.push([key, holder, lease]) > 0,
      });
      const handlings = new Map([1, 2].map((id) => [`${id}`, withResolvers()]));
      const { clock, log, receiver, status } = receiverOf({ dedupe: store });
      receiver.on('message.received', (event) => handlings.get(event.data.messageId)?.promise);
      for (const id of ['1', '2']) status(messageOf(id));
      await clock.passSettled(9_999);
      expect(renewed).toEqual([]);
      clock.pass(1);
      expect(renewed.splice(0)).toEqual(claims);
      handlings.get(first)?.resolve();
      await clock.passSettled(10_000);
      expect(renewed.splice(0)).toEqual([claims[Number(last) - 1]]);
      handlings.get(last)?.resolve();
      await clock.passSettled(10_000);
      expect(renewed).toEqual([]);
      expect(clock.waiting).toBe(0);
      expect(errorsIn(log)).toEqual([]);
    },
  );

  test('that the store has lost is known to its own process: a duplicate waits for it', async () => {
    const lost: DedupeStore = createMemoryDedupeStore();
    const claim = vi.fn(lost.claim);
    const { clock, handler, handling, status } = slowReceiver({ dedupe: { ...lost, claim } });
    const responses = [status(message)];
    await settled();
    const [key = '', options = { holder: '', lease: 0 }] = claim.mock.calls[0] ?? [];
    await lost.release(key, options);
    responses.push(status(message));
    await settled();
    handling.resolve();
    expect(await Promise.all(responses)).toEqual([204, 204]);
    expect([handler.mock.calls.length, clock.waiting]).toEqual([1, 0]);
  });

  test('that is claimed again while its handler fails is released after that, and not claimed again after its end', async () => {
    const again = withResolvers<'claimed'>();
    const renewals = [Promise.resolve(false), Promise.resolve(true)];
    const { calls, store } = recordingStore();
    const claim = vi.fn(() => again.promise).mockResolvedValueOnce('claimed');
    const renew = vi.fn(() => renewals.shift() ?? late.promise);
    const late = withResolvers<boolean>();
    const { clock, handling, status } = slowReceiver({ dedupe: { ...store, claim, renew } });
    const response = status(message);
    await settled();
    for (const _ of [1, 2, 3]) {
      await clock.passSettled(10_000);
    }
    handling.reject(new Error('no room'));
    await settled();
    expect(calls).toEqual([]);
    again.resolve('claimed');
    late.resolve(false);
    await settled();
    expect(calls).toEqual([expect.stringMatching(/^release /)]);
    expect(claim).toHaveBeenCalledTimes(2);
    expect(await response).toBe(503);
  });

  test('a duplicate is handled at once when the attempt under way fails, also if that has its response already', async () => {
    const { clock, handler, handling, status } = slowReceiver();
    const first = status(message);
    await clock.passSettled(4_000);
    const second = status(message);
    await clock.passSettled(500);
    expect(await first).toBe(503);
    handler.mockResolvedValueOnce(undefined);
    handling.reject(new Error('no room'));
    expect(await second).toBe(204);
    expect(handler).toHaveBeenCalledTimes(2);
    expect(clock.waiting).toBe(0);
  });

  test('that is lost while the handlers run is reported and not renewed again', async () => {
    const renew = vi.fn(async () => false);
    const claims = ['claimed', 'claimed', 'in_progress'] as const;
    const claim = vi.fn(async () => claims[claim.mock.calls.length - 1] ?? 'done');
    const { clock, handling, log, status } = slowReceiver({ dedupe: storeWith({ claim, renew }) });
    const response = status(message);
    for (const told of [0, 0]) {
      await settled();
      expect(errorsIn(log)).toHaveLength(told); // lost by the store, and claimed again
      clock.pass(10_000);
    }
    await settled();
    const text =
      'The claim on a delivery ended while its handlers ran, so another process may handle the delivery too. Check that ' +
      'the dedupe store keeps keys for as long as it is asked to, and that nothing blocks this process for as long as ' +
      '`lease`.';
    const lost = ['error', { reason: 'claim_lost', message: text }, { event: message }];
    expect(errorsIn(log)).toMatchObject([lost]);
    clock.pass(60_000);
    expect(await response).toBe(503);
    await settled();
    expect(renew).toHaveBeenCalledTimes(2);
    expect(errorsIn(log)).toHaveLength(1);
    handling.resolve();
    await settled();
    expect(clock.waiting).toBe(0);
  });

  test('is not told of as lost once the handlers are done', async () => {
    const renewal = withResolvers<boolean>();
    const { clock, handling, log, status } = slowReceiver({
      dedupe: storeWith({ renew: () => renewal.promise }),
    });
    const response = status(message);
    await clock.passSettled(10_000);
    handling.resolve();
    await response;
    await settled();
    renewal.resolve(false); // as it is to be: the claim was settled meanwhile
    await settled();
    expect(errorsIn(log)).toEqual([]);
  });

  test('that cannot be renewed is reported, and tried again', async () => {
    const second = withResolvers<boolean>();
    const renew = vi.fn(() => second.promise).mockRejectedValueOnce(new Error('down'));
    const { clock, handling, log, status } = slowReceiver({ dedupe: storeWith({ renew }) });
    const response = status(message);
    await clock.passSettled(1_000);
    clock.pass(9_000);
    await clock.passSettled(10_000);
    expect(renew).toHaveBeenCalledTimes(2);
    handling.resolve();
    await response;
    await settled();
    second.reject(new Error('down'));
    expect(errorsIn(log)).toMatchObject([['error', { message: 'down' }, { event: message }]]);
    await settled();
    expect(errorsIn(log)).toHaveLength(1); // one that failed when it was needed no more is nobody's concern
  });
});
