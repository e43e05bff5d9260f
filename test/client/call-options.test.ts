import { getEventListeners } from 'node:events';
import { InvalidInputError, type Transport } from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { reply } from './support/behaviours.js';
import { apiKey, contact, phone, unserved } from './support/samples.js';
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
