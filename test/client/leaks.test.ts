import { tracingChannel } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { type ClientOptions, type Middleware, RequestError } from 'messaging-automation';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Behaviour, faults, reply } from './support/behaviours.js';
import { everyCall } from './support/calls.js';
import { eagerClock, manualClock } from './support/clocks.js';
import { apiKey, phone, unserved } from './support/samples.js';
import { clientOf, deserted, failure, listTemplates, rejection, startService } from './support/service.js';

const secret = 'whsec_canary_s3cret';
/** What a careless service or library might repeat. */
const echo = `Bearer ${apiKey} for ${phone} (phone ${phone.slice(1)}, +44 (20) 7183-8750, %2B442071838750) with ${secret}`;
const digits = '2071838750';

const details = [{ field: echo, message: echo }];

const responses: readonly [string, Behaviour][] = [
  ['a success', reply(200, { data: [], id: 'c1', properties: { phone }, secret })],
  ['drift', reply(200, { id: 7, properties: { [phone]: { [apiKey]: phone } } })],
  ['an error', reply(400, { error: { code: 'invalid_request', message: echo, details } })],
  ['a key as a code', reply(500, { error: { code: apiKey } })],
  ['text', reply(500, echo)],
  ['a request id', reply(503, echo, { 'x-request-id': echo })],
  ['an unusable success', reply(200, `<html>${echo}</html>`)],
  ['a reset', faults.reset],
];

/** Every way in which an error, its cause and all it holds may come to be read. */
function everythingAbout(value: unknown): string {
  const parts = [
    inspect(value, { depth: null, showHidden: true, getters: true }),
    JSON.stringify(value),
    String(value),
  ];
  if (value instanceof Error) parts.push(value.message, value.stack ?? '', everythingAbout(value.cause));
  return parts.join('\n');
}

function expectNoCanary(text: string): void {
  expect(text).not.toContain(apiKey);
  expect(text).not.toContain('s3cret');
  expect(text.replaceAll(/[\s().-]/g, '')).not.toContain(digits);
}

/** Collects what the observers of a client are shown: its middleware, its log, its drift and its trace. */
function observe() {
  const shown: unknown[] = [];
  const lines: unknown[] = [];
  const log = (...line: unknown[]) => lines.push(line);
  const show = (event: unknown) => shown.push(everythingAbout(event));
  const channel = tracingChannel('messaging-automation:call');
  const handlers = { start: show, end: show, asyncStart: show, asyncEnd: show, error: show };
  channel.subscribe(handlers);
  onTestFinished(() => {
    channel.unsubscribe(handlers);
  });
  const middleware: Middleware = (request, next) => {
    const { headers, urlTemplate } = request; // its address and body hold what the caller gave
    show({ headers, urlTemplate });
    return next(request).catch((error: unknown) => {
      show(error);
      throw error;
    });
  };
  const logger = { debug: log, info: log, warn: log, error: log };
  return { options: { middleware: [middleware], logger, onDrift: show }, shown, lines };
}

describe.each(responses)('after %s', (_, behave) => {
  test.for(Object.entries(everyCall))(
    'no canary leaves %s, its log, its trace or its middleware',
    async ([, call]) => {
      const { options, shown, lines } = observe();
      const service = await startService(behave);
      for (const { baseUrl } of [service, { baseUrl: await deserted() }]) {
        const messaging = clientOf({ baseUrl }, { ...options, clock: eagerClock() });
        await call(messaging).catch((error: unknown) => shown.push(everythingAbout(error)));
      }

      expect(shown.length).toBeGreaterThan(8);
      expect(lines.length).toBeGreaterThan(3);
      const log = inspect(lines, { depth: null }) + JSON.stringify(lines);
      expectNoCanary(shown.join('\n') + log);
      for (const id of ['c1', 'order_update', '127.0.0.1']) expect(log).not.toContain(id);
    },
  );
});

test.each(['contacts.upsert', 'contacts.find', 'transactional.send', 'events.track'])(
  'the phone number that %s names is masked in whatever way its digits are written',
  async (name) => {
    const bare = `${phone.slice(1)}, 00${phone.slice(1)}, (020) 7183-8750, 2071838750`;
    const code = `c${digits}`;
    const body = { error: { code, message: bare, details: [{ field: code, message: bare }] } };
    const { error } = await failure(reply(400, body), everyCall[name]);

    expect(error).toMatchObject({ status: 400, code: undefined });
    expectNoCanary(everythingAbout(error));
  },
);

describe('an id', () => {
  test.each(['20261122100000123456789', 'k'])('of a request is given whole: %s', async (id) => {
    const { error } = await failure(reply(400, {}, { 'x-request-id': id }), listTemplates);

    expect(error).toMatchObject({ requestId: id, message: expect.stringContaining(`Request id: ${id}.`) });
  });

  test('of a request is bounded, and holds no control character', async () => {
    const headers = new Headers({ 'x-request-id': `a\u0085b\t${'c'.repeat(1_000)}` });
    const transport = { exchange: async () => ({ status: 200, headers, body: '[]' }) };
    const { requestId } = await clientOf(unserved, { transport }).templates.list().withResponse();

    expect(requestId).toBe(`ab${'c'.repeat(198)}`);
  });
});

test('no canary leaves a call that finds nobody, times out or is refused', async () => {
  const clock = manualClock();
  const stalled = failure(
    () => setImmediate(clock.advance, 30_000),
    ({ contacts }) => contacts.find(phone),
    { clock },
  );
  const messaging = clientOf({ baseUrl: await deserted() }, { retries: 0 });
  const errors = [
    (await stalled).error,
    await rejection(messaging.contacts.find(phone)),
    await rejection(messaging.contacts.find(`${phone}000000`)),
    await rejection(messaging.contacts.upsert({ phone, properties: JSON.parse(`{ "${phone}": {} }`) })),
    await rejection(messaging.contacts.get(`${phone}/`)),
    await rejection(messaging.templates.list({ headers: { 'x-key': `${apiKey}\n` } })),
  ];

  for (const error of errors) {
    expect(error).toBeInstanceOf(RequestError);
    expectNoCanary(everythingAbout(error));
  }
});

/** An error as a library may throw it, which holds the request. */
function careless(code?: string): Error {
  const error = Object.assign(new Error(echo), { code, request: { headers: { authorization: apiKey } } });
  error.name = `Failed for ${phone}`;
  return error;
}

test.each<[string, ClientOptions, object]>([
  [
    'a fetch of their own',
    { fetch: () => Promise.reject(new TypeError(echo, { cause: careless('ECONNRESET') })) },
    { code: 'ECONNRESET', cause: { code: 'ECONNRESET' } },
  ],
  ['a middleware', { middleware: [() => Promise.reject(careless())] }, { name: 'MiddlewareError' }],
  ['a middleware, as text', { middleware: [() => Promise.reject(echo)] }, { name: 'MiddlewareError' }],
])('no canary leaves in what %s throws', async (_, options, facts) => {
  const error = await rejection(clientOf(unserved, { retries: 0, ...options }).contacts.find(phone));

  expect(error).toMatchObject(facts);
  expectNoCanary(everythingAbout(error));
});

test('an error serialised holds its facts', async () => {
  const { error } = await failure(reply(404, { code: 'not_found' }), ({ contacts }) => contacts.get('c1'));

  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: 'NotFoundError',
    message: 'contacts.get was rejected with 404 not_found. No contact has this id. Check the id.',
    operation: 'contacts.get',
    outcome: 'rejected',
    retryable: false,
    attempts: 1,
    status: 404,
    code: 'not_found',
    details: [],
  });
});
