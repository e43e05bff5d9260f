import type { Middleware } from 'messaging-automation';
import { expect, test } from 'vitest';
import { settle } from '../waiting.js';
import { faults, inTurn, reply } from './support/behaviours.js';
import { send } from './support/samples.js';
import { clientOf, noteEvents, rejection, type Service, startClient } from './support/service.js';

const fail = () => {
  throw new Error('a fault of the observer');
};

const rejectAtOnce = (_: unknown, reject: (reason: unknown) => void) => reject(1);

test.each<[string, () => unknown]>([
  ['throws', fail],
  ['rejects', () => Promise.reject(new Error('a fault of the observer'))],
  ['gives a thenable that rejects', () => Object.defineProperty({}, 'then', { value: rejectAtOnce })],
  ['gives a thenable that throws', () => Object.defineProperty({}, 'then', { get: fail })],
])(
  'a logger and an onDrift that %s change nothing: a send is accepted after a retry, and another fails',
  async (_, observer) => {
    const rejections = noteEvents('unhandledRejection');
    const { messaging, requests } = await startClient(inTurn(reply(429), reply(200, ''), faults.reset), {
      logger: { debug: observer, info: observer, warn: observer, error: observer },
      onDrift: observer,
    });

    expect(await messaging.transactional.send(send)).toEqual({});
    const facts = { name: 'ConnectionError', outcome: 'unknown', attempts: 1 };
    expect(await rejection(messaging.transactional.send(send))).toMatchObject(facts);
    await settle();
    expect(requests).toHaveLength(3);
    expect(rejections).toEqual([]);
  },
);

const headers = { 'x-own': '1' };
const sentHeaders = ({ requests }: Pick<Service, 'requests'>, name: string) =>
  requests.map((request) => request.headers[name]);

test('a custom fetch that changes the headers it is given changes those of no other request', async () => {
  const given: unknown[] = [];
  const meddle = (url: string, init: RequestInit) => {
    given.push(init.headers);
    const sent = { ...init, headers: { ...init.headers } };
    Object.assign(init.headers ?? {}, { 'x-meddled': 'yes', authorization: 'Bearer another' });
    return fetch(url, sent);
  };
  const service = await startClient(inTurn(reply(503), reply(200, [])), { fetch: meddle, headers });
  await service.messaging.templates.list();
  await service.messaging.templates.list();

  expect(new Set(given).size).toBe(3);
  expect(sentHeaders(service, 'x-meddled')).toEqual([undefined, undefined, undefined]);
  expect(sentHeaders(service, 'x-own')).toEqual(['1', '1', '1']);
  expect(new Set(sentHeaders(service, 'authorization')).size).toBe(1);
});

test('a middleware that changes the headers it is shown changes nothing either', async () => {
  const meddle: Middleware = (request, next) => {
    Object.assign(request.headers, { 'x-meddled': 'yes' });
    return next({ ...request, headers: {} });
  };
  const service = await startClient(reply(200, []), { middleware: [meddle], headers });
  await service.messaging.templates.list();
  await clientOf(service, { headers }).templates.list();
  await service.messaging.withOptions({ middleware: [] }).templates.list();

  expect(sentHeaders(service, 'x-meddled')).toEqual([undefined, undefined, undefined]);
  expect(sentHeaders(service, 'x-own')).toEqual([undefined, '1', '1']);
});
