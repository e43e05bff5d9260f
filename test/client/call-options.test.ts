import { getEventListeners } from 'node:events';
import {
  type CallPromise,
  type ClientOptions,
  createLimiter,
  createMemoryKeyValueStore,
  InvalidInputError,
  type MessagingAutomation,
  type SendOptions,
  type Transport,
} from 'messaging-automation';
import { describe, expect, test, vi } from 'vitest';
import { settle, within } from '../waiting.js';
import { leapingClock } from './bulk/runs.js';
import { type Behaviour, faults, inTurn, reply } from './support/behaviours.js';
import { eagerClock } from './support/clocks.js';
import { apiKey, contact, phone, send, unserved, untyped } from './support/samples.js';
import { clientOf, noteEvents, rejection, startClient } from './support/service.js';

describe('signal', () => {
  test('ends a call whose transport begins something that never ends, and aborts meanwhile', async () => {
    const controller = new AbortController();
    const transport: Transport = {
      exchange() {
        controller.abort('enough');
        return new Promise(() => {});
      },
    };

    expect(await rejection(clientOf(unserved, { transport }).templates.list(controller))).toBe('enough');
  });

  test('that many calls share holds one listener, and draws no warning of a leak', async () => {
    const warnings = noteEvents('warning');
    const controller = new AbortController();
    const { signal } = controller;
    const messaging = clientOf(unserved, { fetch: () => new Promise(() => {}) });
    const calls = Array.from({ length: 40 }, () => rejection(messaging.templates.list({ signal })));
    await new Promise(setImmediate);

    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    controller.abort('enough');
    expect(await Promise.all(calls)).toEqual(Array(40).fill('enough'));
    await new Promise(setImmediate);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(warnings).toEqual([]);
  });
});

/** Makes a send over a limiter of one request at a time, and lets the test look at what it leaves behind. */
async function oneSend(behave: Behaviour, options: ClientOptions = {}) {
  const limiter = createLimiter({ concurrency: 1, clock: leapingClock() });
  const clock = eagerClock();
  const { signal, abort } = abortable();
  const { messaging, received } = await startClient(behave, { limiter, clock, ...options });
  return {
    abort,
    received,
    clock,
    send: (more: object = {}, given: SendOptions = {}): CallPromise<unknown> =>
      messaging.transactional.send({ ...send, ...more }, { signal, ...given }),
    async leavesNothing() {
      await settle();
      expect({ timers: clock.timers(), waiting: limiter.waiting }).toEqual({ timers: 0, waiting: 0 });
      expect(getEventListeners(signal, 'abort')).toEqual([]);
      let isFree = false;
      void limiter.acquire(new AbortController().signal, 1_000).then(() => {
        isFree = true;
      });
      await settle();
      expect(isFree).toBe(true);
    },
  };
}

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort('enough') };
}

const accepted = reply(200, { success: true });
const refuse = () => Promise.reject(new Error('no'));

describe('no timer, no listener of the signal and no slot of the limiter is left by a call', () => {
  test.each<[string, Behaviour, ClientOptions]>([
    ['that succeeds', accepted, {}],
    ['that succeeds at its second attempt', inTurn(reply(429), accepted), {}],
    ['that the service rejects', reply(402), {}],
    ['that the service turns away in each attempt', reply(429), {}],
    ['whose connection breaks', faults.reset, {}],
    ['whose response cannot be used', reply(200, '<html>'), {}],
    ['whose transport throws', accepted, { transport: { exchange: refuse } }],
    ['that a guard holds back', accepted, { guards: [{ check: () => 'no' }] }],
    ['whose guard fails', accepted, { guards: [{ check: refuse }] }],
    ['whose middleware fails', accepted, { middleware: [refuse] }],
    ['whose API key cannot be had', accepted, { apiKey: refuse }],
  ])('%s', async (_, behave, options) => {
    const call = await oneSend(behave, options);
    await within('its end', Promise.allSettled([call.send()]));
    await call.leavesNothing();
  });

  test.each<[string, object, SendOptions]>([
    ['whose message is invalid', { phone: '555 1234' }, {}],
    ['whose message cannot be read', { variables: untyped({ toJSON: () => untyped<() => 1>(1)() }) }, {}],
    ['whose options are invalid', {}, { retries: -1 }],
  ])('%s', async (_, more, options) => {
    const call = await oneSend(accepted);
    expect(await rejection(call.send(more, options))).toBeInstanceOf(InvalidInputError);
    await call.leavesNothing();
  });

  const never = () => new Promise<never>(() => {});
  test.each<[string, ClientOptions]>([
    ['while the service responds', {}],
    ['while its transport ignores that', { transport: { exchange: never } }],
    ['while a guard is asked', { guards: [{ check: never }] }],
    ['while a middleware waits', { middleware: [never] }],
    ['while the API key is asked for', { apiKey: never }],
  ])('that is aborted %s', async (_, options) => {
    const call = await oneSend(faults.stall, options);
    const failed = rejection(call.send());
    if (Object.keys(options).length === 0) await call.received(1);
    else await settle();
    call.abort();
    expect(await failed).toBe('enough');
    await call.leavesNothing();
  });
});

test('headers of the client and of the call are sent, the latter winning, whatever their case', async () => {
  const headers = { 'X-One': 'client', 'X-Two': 'client' };
  const { messaging, requests } = await startClient(reply(200, []), { headers });
  await messaging.templates.list({ headers: { 'x-two': 'call', 'X-Three': 'call' } });

  expect(requests[0]?.headers).toMatchObject({
    'x-one': 'client',
    'x-two': 'call',
    'x-three': 'call',
    authorization: `Bearer ${apiKey}`,
    accept: 'application/json',
  });
  expect(requests[0]?.headers['content-type']).toBeUndefined();
});

test.each([
  ['timeout', { timeout: 0 }],
  ['timeout', { timeout: 2 ** 31 }],
  ['retries', { retries: -1 }],
  ['headers.Authorization', { headers: { Authorization: 'Bearer other' } }],
  ['headers.x-line', { headers: { 'x-line': 'a\r\nb: c' } }],
])('%s is refused where it makes no sense: %o', async (field, options) => {
  const error = await rejection(clientOf(unserved).templates.list(options));

  expect(error).toBeInstanceOf(InvalidInputError);
  expect(error).toMatchObject({ problems: [{ field }], outcome: 'not_sent', attempts: 0 });
});

const key = { idempotencyKey: 'order-1001' };
const idempotencyStore = createMemoryKeyValueStore();

/** A client with a store, whose requests are counted. */
function counted(options: ClientOptions = { idempotencyStore }) {
  const fetch = vi.fn(async () => Response.json({ success: true }));
  return { messaging: clientOf(unserved, { fetch, validation: 'off', ...options }), fetch };
}

type Wrong = [
  what: string,
  call: (messaging: MessagingAutomation) => Promise<unknown>,
  field: string,
  words?: string,
];

test.each<Wrong>([
  [
    'a key that is misspelt',
    (m) => m.transactional.send(send, untyped({ idempotencykey: 'a' })),
    'idempotencykey',
    '(do you mean idempotencyKey?)',
  ],
  [
    'a key in snake case',
    (m) => m.transactional.send(send, untyped({ idempotency_key: 'a' })),
    'idempotency_key',
    '(do you mean idempotencyKey?)',
  ],
  [
    'a misspelt timeout',
    (m) => m.contacts.get('c1', untyped({ timout: 1 })),
    'timout',
    '(do you mean timeout?)',
  ],
  ['what is like nothing', (m) => m.contacts.get('c1', untyped({ colour: 1 })), 'colour', 'is not an option'],
  [
    'a key of a call that has none',
    (m) => m.contacts.upsert({ phone }, untyped(key)),
    'idempotencyKey',
    'is not an option',
  ],
  ['a key of a request', (m) => m.request({ method: 'GET', path: '/v1/a' }, untyped(key)), 'idempotencyKey'],
  [
    'an option within a request',
    (m) => m.request(untyped({ method: 'GET', path: '/v1/a', timeout: 1 })),
    'timeout',
  ],
  [
    'a misspelt part of a request',
    (m) => m.request(untyped({ method: 'GET', path: '/v1/a', parms: {} })),
    'parms',
    '(do you mean params?)',
  ],
  [
    'a key within the message',
    (m) => m.transactional.send(untyped({ ...send, ...key })),
    'idempotencyKey',
    'option of the call',
  ],
  [
    'a key within the event',
    (m) => m.events.track(untyped({ event: 'a', phone, idempotency_key: 'a' })),
    'idempotency_key',
    'option of the call',
  ],
  [
    'a timeout within a contact',
    (m) => m.contacts.upsert(untyped({ phone, timeout: 1 })),
    'timeout',
    'option of the call',
  ],
  [
    'a signal within a subscription',
    (m) => m.webhooks.create(untyped({ url: 'https://a.test', events: [], Signal: 1 })),
    'Signal',
  ],
  [
    'an undefined key beside a store',
    (m) => m.transactional.send(send, untyped({ idempotencyKey: undefined })),
    'idempotencyKey',
    'is undefined',
  ],
  [
    'an undefined key of an event',
    (m) => m.events.track({ event: 'a', phone }, untyped({ idempotencyKey: undefined })),
    'idempotencyKey',
    'is undefined',
  ],
  [
    'a text instead of the input, with its fields as options',
    (m) => m.events.track(untyped('order_placed'), untyped({ phone })),
    '',
    'must be an object, not a string',
  ],
  [
    'a name that is close to none',
    (m) => m.templates.list(untyped({ zzz: 1 })),
    'zzz',
    'zzz is not an option.',
  ],
  [
    'a text instead of options',
    (m) => m.transactional.send(send, untyped('order-1001')),
    'the options',
    'must be an object',
  ],
  [
    'null instead of options',
    (m) => m.transactional.send(send, untyped(null)),
    'the options',
    'must be an object',
  ],
  [
    'a Headers object',
    (m) => m.templates.list({ headers: untyped(new Headers({ 'x-a': 'b' })) }),
    'headers',
    'must be an object with a string',
  ],
  ['an unknown option of unsettled', (m) => m.events.unsettled(untyped({ retries: 1 })), 'retries'],
  [
    'an unknown option of a run',
    (m) => m.transactional.sendMany([send], untyped({ concurency: 1 })),
    'concurency',
    '(do you mean concurrency?)',
  ],
  [
    'a key of a run that has none',
    (m) => m.contacts.upsertMany([{ phone }], untyped({ idempotencyKey: () => 'a' })),
    'idempotencyKey',
  ],
  [
    'an undefined key of a run',
    (m) => m.transactional.sendMany([send], untyped({ idempotencyKey: undefined })),
    'idempotencyKey',
    'is undefined',
  ],
  [
    'an undefined checkpoint',
    (m) => m.events.trackMany([], untyped({ checkpoint: undefined })),
    'checkpoint',
    'is undefined',
  ],
  [
    'null instead of options of a run',
    (m) => m.contacts.upsertMany([{ phone }], untyped(null)),
    'the options',
  ],
  [
    'the options within a run',
    (m) => m.contacts.upsertEach([{ phone }], untyped({ retryUnknown: true })).summary(),
    'retryUnknown',
  ],
])('%s is refused before anything leaves', async (_, call, field, words = '') => {
  const { messaging, fetch } = counted();
  const error = await rejection(call(messaging));

  expect(error).toBeInstanceOf(InvalidInputError);
  expect(error).toMatchObject({ outcome: 'not_sent', problems: [{ field }] });
  expect(String(error)).toContain(words);
  expect(fetch).not.toHaveBeenCalled();
});

test('withResponse refuses what its call refuses', async () => {
  const { messaging, fetch } = counted();
  const error = await rejection(messaging.transactional.send(send, untyped({ retry: 1 })).withResponse());

  expect(error).toMatchObject({ problems: [{ field: 'retry' }], outcome: 'not_sent' });
  expect(fetch).not.toHaveBeenCalled();
});

test('an undefined key without a store, other undefined options, and fields of a newer service are no mistake', async () => {
  const { messaging, fetch } = counted({});
  const options = { idempotencyKey: undefined, timeout: undefined, signal: undefined, headers: undefined };
  await messaging.transactional.send(untyped({ ...send, header: 'a', locale: 'de' }), untyped(options));
  await messaging.transactional.send(send, Object.create({ idempotencykey: 'inherited' }));

  expect(fetch).toHaveBeenCalledTimes(2);
});

test('an item of a run that holds an option of its call is rejected alone', async () => {
  const { messaging } = counted();
  const run = messaging.transactional.sendMany([untyped({ ...send, ...key }), send]);

  expect(await run).toMatchObject({ done: 1, rejected: 1 });
});

describe('withResponse', () => {
  test('gives data, status, headers, request id and attempts of the one request', async () => {
    const headers = { 'x-request-id': 'req_1', 'x-ratelimit-remaining': '7' };
    const { messaging, requests } = await startClient(reply(201, contact, headers));
    const call = messaging.contacts.upsert({ phone });
    const given = await call.withResponse();

    expect(given.data).toBe(await call);
    expect(given).toMatchObject({ response: { status: 201 }, requestId: 'req_1', attempts: 1 });
    expect(given.response.headers.get('x-ratelimit-remaining')).toBe('7');
    expect(requests).toHaveLength(1);
  });

  test('gives null, and the 404, for a contact not found', async () => {
    const { messaging } = await startClient(reply(404), { validation: 'off' });
    const found = await messaging.contacts.find(phone).withResponse();

    expect(found).toMatchObject({ data: null, response: { status: 404 } });
  });

  test('rejects as the call does, and leaves no rejection unhandled', async () => {
    const unhandled = noteEvents('unhandledRejection');
    const { messaging } = await startClient(reply(400));
    const error = await rejection(messaging.templates.list().withResponse());
    await new Promise(setImmediate);

    expect(error).toMatchObject({ status: 400 });
    expect(unhandled).toEqual([]);
  });
});
