import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import type { CallTrace, Middleware } from 'messaging-automation';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { eagerClock } from './support/clocks.js';
import {
  answer,
  apiKey,
  clientOf,
  faults,
  inTurn,
  phone,
  rejection,
  startService,
} from './support/service.js';

const name = 'messaging-automation:call';
const contact = { id: 'c1', properties: { phone } };
const send = { phone, templateId: 'order_update' };

/** Listens to the channel until the test has finished. */
function listen() {
  const events: { readonly event: string; readonly call: unknown; readonly state: unknown }[] = [];
  const keep = (event: string) => (call: unknown) => {
    events.push({ event, call, state: stateOf(call) });
  };
  const handlers = {
    start: keep('start'),
    end: keep('end'),
    asyncStart: keep('asyncStart'),
    asyncEnd: keep('asyncEnd'),
    error: keep('error'),
  };
  const channel = tracingChannel<unknown, CallTrace>(name);
  channel.subscribe(handlers);
  onTestFinished(() => {
    channel.unsubscribe(handlers);
  });
  return events;
}

/** The state of a call at the moment of an event. */
function stateOf(call: unknown): unknown {
  return JSON.parse(JSON.stringify(call));
}

describe('the channel tells of a call', () => {
  test('that succeeds, with one object in all its events', async () => {
    const events = listen();
    const service = await startService(answer(201, contact, { 'x-request-id': 'r1' }));
    await clientOf(service).contacts.upsert({ phone });
    const { port } = new URL(service.baseUrl);
    const start = {
      operation: 'contacts.upsert',
      method: 'POST',
      urlTemplate: '/v1/contacts',
      serverAddress: '127.0.0.1',
      serverPort: Number(port),
      attempts: 0,
    };
    const end = { ...start, attempts: 1, status: 201, requestId: 'r1' };

    expect(events.map(({ event, state }) => ({ event, state }))).toEqual([
      { event: 'start', state: start },
      { event: 'end', state: start },
      { event: 'asyncStart', state: end },
      { event: 'asyncEnd', state: end },
    ]);
    expect(new Set(events.map(({ call }) => call)).size).toBe(1);
  });

  test('that fails, with its error', async () => {
    const events = listen();
    const service = await startService(inTurn(faults.reset, answer(404, {}, { 'x-request-id': 'r2' })));
    const error = await rejection(clientOf(service, { clock: eagerClock() }).contacts.get('c1'));

    expect(events.map(({ event }) => event)).toEqual(['start', 'end', 'error', 'asyncStart', 'asyncEnd']);
    expect(events[0]?.call).toMatchObject({
      urlTemplate: '/v1/contacts/:id',
      attempts: 2,
      status: 404,
      requestId: 'r2',
      outcome: 'unknown',
    });
    expect(events[0]?.call).toHaveProperty('error', error);
  });

  test('that is never made', async () => {
    const events = listen();
    const error = await rejection(clientOf({ baseUrl: 'https://a.test/api' }).contacts.find('nobody'));

    expect(events.at(-1)?.call).toMatchObject({
      error,
      attempts: 0,
      outcome: 'not_sent',
      serverAddress: 'a.test',
      serverPort: 443,
    });
  });

  test('that its caller aborts', async () => {
    const events = listen();
    const service = await startService(faults.stall);
    const controller = new AbortController();
    const failed = rejection(clientOf(service).transactional.send(send, { signal: controller.signal }));
    await service.received(1);
    controller.abort('enough');
    await failed;

    expect(events.at(-1)?.call).toMatchObject({ error: 'enough', attempts: 1, outcome: 'unknown' });
  });

  test.each([
    ['http://a.test/api', 'a.test', 80],
    ['https://a.test:8443/api', 'a.test', 8443],
    ['http://[::1]:8080/api', '::1', 8080],
  ])('with the address and the port of %s', async (baseUrl, serverAddress, serverPort) => {
    const events = listen();
    const fetch = async () => new Response('[]');
    await clientOf({ baseUrl }, { fetch, allowInsecureHttp: true }).templates.list();

    expect(events[0]?.call).toMatchObject({ serverAddress, serverPort });
  });

  test('to whoever listens to one event alone', async () => {
    const seen: unknown[] = [];
    const { asyncEnd } = tracingChannel<unknown, CallTrace>(name);
    const keep = (call: unknown) => seen.push(call);
    asyncEnd.subscribe(keep);
    const service = await startService(answer(200, []));
    await clientOf(service).templates.list();
    asyncEnd.unsubscribe(keep);
    await clientOf(service).templates.list();

    expect(seen).toEqual([expect.objectContaining({ operation: 'templates.list', status: 200 })]);
  });
});

test('a store bound to the start of a call is there all through it, and no further', async () => {
  const store = new AsyncLocalStorage<CallTrace>();
  const channel = tracingChannel<CallTrace, CallTrace>(name);
  channel.start.bindStore(store, (call) => call);
  onTestFinished(() => {
    channel.start.unbindStore(store);
  });
  const seen: unknown[] = [];
  const look = (where: string) => seen.push(`${where}: ${store.getStore()?.operation}`);
  const middleware: Middleware[] = [
    (request, next) => {
      look(`middleware ${request.attempt}`);
      return next(request);
    },
  ];
  const answers = [503, 200].values();
  const fetch = async () => {
    look('fetch');
    return new Response('[]', { status: answers.next().value ?? 500 });
  };
  const logger = { info: () => look('logger') };
  const options = { middleware, fetch, logger, clock: eagerClock() };
  await clientOf({ baseUrl: 'https://a.test/api' }, options).templates.list();
  look('after');

  expect(seen).toEqual([
    'middleware 1: templates.list',
    'fetch: templates.list',
    'middleware 2: templates.list',
    'fetch: templates.list',
    'logger: templates.list',
    'after: undefined',
  ]);
});

test('calls under way at the same time have each their own store', async () => {
  const store = new AsyncLocalStorage<string>();
  const channel = tracingChannel<string, CallTrace>(name);
  channel.start.bindStore(store, ({ operation }) => operation);
  onTestFinished(() => {
    channel.start.unbindStore(store);
  });
  const seen: unknown[] = [];
  const fetch = async (url: string) => {
    await new Promise(setImmediate);
    seen.push([new URL(url).pathname, store.getStore()]);
    return new Response('[]');
  };
  const messaging = clientOf({ baseUrl: 'https://a.test/api' }, { fetch });
  await Promise.all([messaging.templates.list(), messaging.webhooks.list()]);

  expect(seen).toEqual([
    ['/api/v1/templates', 'templates.list'],
    ['/api/v1/webhooks', 'webhooks.list'],
  ]);
});

test('the response comes with a call that is traced, too', async () => {
  listen();
  const service = await startService(answer(200, [{ id: 't1' }]));
  const { data, attempts } = await clientOf(service).templates.list().withResponse();

  expect({ data, attempts }).toEqual({ data: [{ id: 't1' }], attempts: 1 });
});

describe('where there is no diagnostics_channel', () => {
  test.each([
    ['no process', undefined],
    ['a process of old', { env: {} }],
    ['no such module', { env: {}, getBuiltinModule: () => undefined }],
    ['no tracing channels', { env: {}, getBuiltinModule: () => ({ channel: () => ({}) }) }],
    ['tracing channels of another kind', { getBuiltinModule: () => ({ tracingChannel: () => ({}) }) }],
  ])('calls are made as ever: %s', async (_, runtime) => {
    vi.resetModules();
    const { MessagingAutomation } = await import('messaging-automation');
    const fetch = async () => new Response('[]');
    const messaging = new MessagingAutomation({ apiKey, baseUrl: 'https://a.test/api', fetch });
    vi.stubGlobal('process', runtime);
    onTestFinished(() => {
      vi.unstubAllGlobals();
      vi.resetModules(); // that copy has found no channel, and must not serve another test
    });

    expect(await messaging.templates.list()).toEqual([]);
  });
});
