import { getEventListeners } from 'node:events';
import { InvalidInputError, MessagingAutomation, TimeoutError, type Transport } from 'messaging-automation';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eagerClock, manualClock } from './support/clocks.js';
import { answer, apiKey, clientOf, faults, phone, rejection, startService } from './support/service.js';

const baseUrl = 'http://127.0.0.1:9/api';

describe('signal', () => {
  test('ends a call whose transport begins something that never ends, and aborts meanwhile', async () => {
    const controller = new AbortController();
    const transport: Transport = {
      exchange() {
        controller.abort('enough');
        return new Promise(() => {});
      },
    };
    const messaging = new MessagingAutomation({ apiKey, baseUrl, transport });

    expect(await rejection(messaging.templates.list({ signal: controller.signal }))).toBe('enough');
  });

  test('keeps no listener after 1,000 calls, done, failed and refused', async () => {
    const { signal } = new AbortController();
    let calls = 0;
    const fetch = async () => new Response('[]', { status: ++calls % 2 ? 200 : 400 });
    const messaging = new MessagingAutomation({ apiKey, baseUrl, fetch });
    for (let call = 0; call < 1_000; call += 1) {
      if (call % 10 === 0) await rejection(messaging.contacts.get('..', { signal }));
      else await messaging.templates.list({ signal }).catch(() => {});
    }

    expect(calls).toBe(900);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

test('a signal that many calls share holds one listener, and draws no warning of a leak', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const controller = new AbortController();
  const { signal } = controller;
  const messaging = new MessagingAutomation({ apiKey, baseUrl, fetch: () => new Promise(() => {}) });
  const calls = Array.from({ length: 40 }, () => rejection(messaging.templates.list({ signal })));
  await new Promise(setImmediate);

  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  controller.abort('enough');
  expect(await Promise.all(calls)).toEqual(Array(40).fill('enough'));
  await new Promise(setImmediate);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  expect(warnings).toEqual([]);
});

describe('timeout', () => {
  test('of a call replaces that of the client', async () => {
    const clock = manualClock();
    const service = await startService(faults.stall);
    const failed = rejection(clientOf(service, { clock }).templates.list({ timeout: 50 }));
    await service.received(1);
    clock.advance(50);

    expect(await failed).toBeInstanceOf(TimeoutError);
  });

  test('bounds even a fetch that takes no notice of its signal', async () => {
    const clock = manualClock();
    let started = () => {};
    const fetching = new Promise<void>((resolve) => {
      started = resolve;
    });
    const fetch = () => {
      started();
      return new Promise<Response>(() => {});
    };
    const failed = rejection(new MessagingAutomation({ apiKey, baseUrl, clock, fetch }).templates.list());
    await fetching;
    clock.advance(30_000);

    expect(await failed).toBeInstanceOf(TimeoutError);
  });
});

describe('headers', () => {
  test('of the client and of the call are sent, the latter winning, whatever their case', async () => {
    const service = await startService(answer(200, []));
    const messaging = clientOf(service, { headers: { 'X-One': 'client', 'X-Two': 'client' } });
    await messaging.templates.list({ headers: { 'x-two': 'call', 'X-Three': 'call' } });

    expect(service.requests[0]?.headers).toMatchObject({
      'x-one': 'client',
      'x-two': 'call',
      'x-three': 'call',
      authorization: `Bearer ${apiKey}`,
      accept: 'application/json',
    });
    expect(service.requests[0]?.headers['content-type']).toBeUndefined();
  });
});

test.each([
  ['timeout', { timeout: 0 }],
  ['timeout', { timeout: Number.NaN }],
  ['timeout', { timeout: 2 ** 31 }],
  ['retries', { retries: -1 }],
  ['retries', { retries: 1.5 }],
  ['headers.Authorization', { headers: { Authorization: 'Bearer other' } }],
  ['headers.not a name', { headers: { 'not a name': 'x' } }],
  ['headers.x-line', { headers: { 'x-line': 'a\r\nb: c' } }],
])('%s is refused where it makes no sense: %o', async (field, options) => {
  const error = await rejection(new MessagingAutomation({ apiKey, baseUrl }).templates.list(options));

  expect(error).toBeInstanceOf(InvalidInputError);
  expect(error).toMatchObject({ problems: [{ field }], outcome: 'not_sent', attempts: 0 });
});

describe('withResponse', () => {
  test('gives data, status, headers, request id and attempts', async () => {
    const headers = { 'x-request-id': 'req_1', 'x-ratelimit-remaining': '7' };
    const service = await startService(answer(201, { id: 'c1', properties: {} }, headers));
    const call = clientOf(service).contacts.upsert({ phone });
    const { data, response, requestId, attempts } = await call.withResponse();

    expect(data).toBe(await call);
    expect(response.status).toBe(201);
    expect(response.headers.get('x-ratelimit-remaining')).toBe('7');
    expect(requestId).toBe('req_1');
    expect(attempts).toBe(1);
    expect(service.requests).toHaveLength(1);
  });

  test('gives null, and the 404, for a contact not found', async () => {
    const service = await startService(answer(404));
    const found = await clientOf(service).contacts.find(phone).withResponse();

    expect(found).toMatchObject({ data: null, response: { status: 404 } });
  });

  test('rejects as the call does, and leaves no rejection unhandled', async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', listener);
    const service = await startService(answer(400));
    const error = await rejection(clientOf(service).templates.list().withResponse());
    await new Promise(setImmediate);
    process.off('unhandledRejection', listener);

    expect(error).toMatchObject({ status: 400 });
    expect(unhandled).toEqual([]);
  });

  test('stands on a promise like any other', async () => {
    const service = await startService(answer(200, []));
    const call = clientOf(service, { clock: eagerClock() }).templates.list();

    expect(call).toBeInstanceOf(Promise);
    expect(await call.then((list) => list.length)).toBe(0);
    expect(call.finally(() => {})).not.toHaveProperty('withResponse');
    expect(await Promise.all([call, call])).toEqual([[], []]);
  });
});
