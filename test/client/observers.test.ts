import type { Middleware } from 'messaging-automation';
import { afterEach, describe, expect, test } from 'vitest';
import { settle } from '../waiting.js';
import { eagerClock } from './support/clocks.js';
import { answer, clientOf, faults, inTurn, phone, rejection, startService } from './support/service.js';

const send = { phone, templateId: 'order_update' };
const rejections: unknown[] = [];
const note = (reason: unknown) => void rejections.push(reason);

afterEach(() => {
  process.off('unhandledRejection', note);
  rejections.length = 0;
});

/** Ways in which an observer goes wrong. */
const faultsOfObservers: readonly (readonly [string, () => unknown])[] = [
  [
    'throws',
    () => {
      throw new Error('a fault of the observer');
    },
  ],
  ['rejects', () => Promise.reject(new Error('a fault of the observer'))],
  [
    'gives a thenable that rejects',
    // biome-ignore lint/suspicious/noThenProperty: a thenable of another library.
    () => ({ then: (_: unknown, reject: (reason: unknown) => void) => reject(1) }),
  ],
  [
    'gives a thenable that throws',
    () => ({
      // biome-ignore lint/suspicious/noThenProperty: a thenable of another library.
      get then() {
        throw new Error('a fault of the observer');
      },
    }),
  ],
];

describe.each(faultsOfObservers)('an observer that %s', (_, observer) => {
  test('changes nothing, as a logger or as onDrift: a send is accepted after a retry, and another fails', async () => {
    process.on('unhandledRejection', note);
    const accepted = inTurn(answer(429), answer(200, ''), faults.reset);
    const service = await startService(accepted);
    const logger = { debug: observer, info: observer, warn: observer, error: observer };
    const messaging = clientOf(service, { logger, onDrift: observer, clock: eagerClock() });

    expect(await messaging.transactional.send(send)).toEqual({ success: true });
    expect(await rejection(messaging.transactional.send(send))).toMatchObject({
      name: 'ConnectionError',
      outcome: 'unknown',
      attempts: 1,
    });
    await settle();
    expect(service.requests).toHaveLength(3);
    expect(rejections).toEqual([]);
  });
});

test('a custom fetch that changes the headers it is given changes those of no other request', async () => {
  const service = await startService(inTurn(answer(503), answer(200, []), answer(200, [])));
  const given: unknown[] = [];
  const meddle = (url: string, init: RequestInit) => {
    given.push(init.headers);
    const sent = { ...init, headers: { ...init.headers } };
    Object.assign(init.headers ?? {}, { 'x-meddled': 'yes', authorization: 'Bearer another' });
    return fetch(url, sent);
  };
  const messaging = clientOf(service, { fetch: meddle, clock: eagerClock(), headers: { 'x-own': '1' } });
  await messaging.templates.list();
  await messaging.templates.list();

  expect(new Set(given).size).toBe(3);
  expect(service.requests.map(({ headers }) => headers['x-meddled'])).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(service.requests.map(({ headers }) => headers['x-own'])).toEqual(['1', '1', '1']);
  expect(new Set(service.requests.map(({ headers }) => headers.authorization)).size).toBe(1);
});

test('a middleware that changes the headers it is shown changes nothing either', async () => {
  const service = await startService(answer(200, []));
  const meddle: Middleware = (request, next) => {
    Object.assign(request.headers, { 'x-meddled': 'yes' });
    return next({ ...request, headers: {} });
  };
  const messaging = clientOf(service, { middleware: [meddle], headers: { 'x-own': '1' } });
  await messaging.templates.list();
  await clientOf(service, { headers: { 'x-own': '1' } }).templates.list();
  await messaging.withOptions({ middleware: [] }).templates.list();

  expect(service.requests.map(({ headers }) => headers['x-meddled'])).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(service.requests.map(({ headers }) => headers['x-own'])).toEqual([undefined, '1', '1']);
});

test('a logger does not change when a call reads its input', async () => {
  const service = await startService(answer(200, { success: true }));
  const { transactional } = clientOf(service, { logger: { info: () => {} } });
  const input = { ...send };
  const first = transactional.send(input);
  input.phone = '+15557654321';
  const second = transactional.send(input);
  input.phone = '+15550000000';
  await Promise.all([first, second]);
  const phones = service.requests.map(({ body }) => JSON.parse(body).phone);
  expect(phones.toSorted()).toEqual([phone, '+15557654321'].toSorted());
});
