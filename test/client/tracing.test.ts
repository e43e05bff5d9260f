import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import type { CallTrace, Middleware } from 'messaging-automation';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { stubProcess } from '../stub-process.js';
import { faults, inTurn, reply } from './support/behaviours.js';
import { eagerClock } from './support/clocks.js';
import { apiKey, contact, phone, send, unserved } from './support/samples.js';
import { clientOf, failure, startClient } from './support/service.js';

const name = 'messaging-automation:call';

/** Listens to the channel until the test has finished: the events, and the state of the call at each of them. */
function listen() {
  const events: { readonly event: string; readonly call: unknown; readonly state: unknown }[] = [];
  const keep = (event: string) => (call: unknown) => {
    events.push({ event, call, state: JSON.parse(JSON.stringify(call)) });
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

/** Binds a store to the start of each call, until the test has finished. */
function bindStore() {
  const store = new AsyncLocalStorage<CallTrace>();
  const { start } = tracingChannel<CallTrace, CallTrace>(name);
  start.bindStore(store, (call) => call);
  onTestFinished(() => void start.unbindStore(store));
  return store;
}

describe('the channel tells of a call', () => {
  test('that succeeds, with one object in all its events', async () => {
    const events = listen();
    const { messaging, baseUrl } = await startClient(reply(201, contact, { 'x-request-id': 'r1' }));
    const { data, attempts } = await messaging.contacts.upsert({ phone }).withResponse();
    const start = {
      operation: 'contacts.upsert',
      method: 'POST',
      urlTemplate: '/v1/contacts',
      serverAddress: '127.0.0.1',
      serverPort: Number(new URL(baseUrl).port),
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
    expect({ data, attempts }).toEqual({ data: contact, attempts: 1 });
  });

  test('that fails, with its error', async () => {
    const events = listen();
    const behave = inTurn(faults.reset, reply(404, {}, { 'x-request-id': 'r2' }));
    const { error } = await failure(behave, ({ contacts }) => contacts.get('c1'));

    expect(events.map(({ event }) => event)).toEqual(['start', 'end', 'error', 'asyncStart', 'asyncEnd']);
    const facts = { urlTemplate: '/v1/contacts/:id', attempts: 2, status: 404, requestId: 'r2' };
    expect(events[0]?.call).toMatchObject({ ...facts, outcome: 'unknown' });
    expect(events[0]?.call).toHaveProperty('error', error);
  });

  test('that its caller aborts', async () => {
    const events = listen();
    const controller = new AbortController();
    await failure(
      () => controller.abort('enough'),
      ({ transactional }) => transactional.send(send, controller),
    );

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
});

test('a store bound to the start of a call is there all through it, and no further', async () => {
  const store = bindStore();
  const seen: unknown[] = [];
  const look = (where: string) => seen.push(`${where}: ${store.getStore()?.operation}`);
  const middleware: Middleware = (request, next) => {
    look(`middleware ${request.attempt}`);
    return next(request);
  };
  const responses = [503, 200].values();
  const fetch = async () => {
    look('fetch');
    return new Response('[]', { status: responses.next().value ?? 500 });
  };
  const logger = { info: () => look('logger') };
  const options = { middleware: [middleware], fetch, logger, clock: eagerClock() };
  await clientOf(unserved, options).templates.list();
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

test.each([
  ['no process', undefined],
  ['no such module', { env: {}, getBuiltinModule: () => undefined }],
  ['no tracing channels', { env: {}, getBuiltinModule: () => ({ channel: () => ({}) }) }],
])('calls are made as ever where there is %s', async (_, runtime) => {
  vi.resetModules();
  const { MessagingAutomation } = await import('messaging-automation');
  // Over fetch, the call would load a file while there is no process, which Vitest needs to load one.
  const transport = { exchange: async () => ({ status: 200, headers: new Headers(), body: '[]' }) };
  const messaging = new MessagingAutomation({ apiKey, ...unserved, transport });
  stubProcess(runtime);
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.resetModules(); // that copy has found no channel, and must not serve another test
  });

  expect(await messaging.templates.list()).toEqual([]);
});
