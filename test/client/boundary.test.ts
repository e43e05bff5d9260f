import {
  type ClientOptions,
  ConnectionError,
  createMemoryKeyValueStore,
  type Limiter,
  MessagingAutomation,
  NotFoundError,
  RequestError,
  TimeoutError,
} from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { until } from '../waiting.js';
import { inTurn, reply } from './support/behaviours.js';
import { eagerClock, manualClock } from './support/clocks.js';
import { apiKey, phone, send, unserved, untyped } from './support/samples.js';
import { rejection, startClient } from './support/service.js';

const accepted = '{"success":true}';

/** A client whose `fetch` sends each request and then returns what the test says. */
function fetching(response: () => unknown, options: ClientOptions = {}) {
  const sent: string[] = [];
  const fetch = async (url: string) => {
    sent.push(url);
    return untyped<Response>(response());
  };
  return { messaging: new MessagingAutomation({ apiKey, ...unserved, fetch, ...options }), sent };
}

function throwing(...names: readonly string[]): object {
  const fields: object = { status: 200, headers: new Headers(), body: null, text: async () => accepted };
  for (const name of names) {
    Object.defineProperty(fields, name, {
      get() {
        throw new Error(`no ${name} for ${phone}`);
      },
    });
  }
  return fields;
}

const text = async () => accepted;
const never = new Promise<never>(() => {});

const foreign: readonly (readonly [string, () => unknown])[] = [
  ['nothing', () => undefined],
  ['null', () => null],
  ['a string', () => accepted],
  ['an object without fields', () => ({})],
  ['a function', () => () => accepted],
  ['a status that is a string', () => ({ status: '404', text })],
  ['a status that is no number', () => ({ status: Number.NaN, text })],
  ['a status with a fraction', () => ({ status: 404.5, text })],
  ['a negative status', () => ({ status: -1, text })],
  ['an informational status', () => ({ status: 100, text })],
  ['no status', () => ({ ok: true, text })],
  ['no text', () => ({ status: 200, headers: new Headers(), json: async () => ({ success: true }) })],
  ['a text that is an object', () => ({ status: 200, text: async () => ({ success: true }) })],
  ['a text that rejects', () => ({ status: 200, text: () => Promise.reject(new TypeError('used')) })],
  ['a getter that throws for its status', () => throwing('status')],
  ['a getter that throws for its headers', () => throwing('headers')],
  ['a getter that throws for its body', () => throwing('body')],
  ['a getter that throws for its text', () => throwing('text')],
  [
    'headers whose methods throw',
    () => {
      const fail = () => {
        throw new Error('no header');
      };
      return { status: 200, text, headers: { get: fail, forEach: fail } };
    },
  ],
  [
    'a proxy that throws for everything but a promise',
    () =>
      new Proxy(
        {},
        {
          get(_, name) {
            if (name === 'then') return undefined;
            throw new Error(String(name));
          },
        },
      ),
  ],
];

describe('a send whose fetch returns', () => {
  test.each(foreign)(
    '%s after the request left has an unknown outcome, and its key is not free',
    async (_, response) => {
      const idempotencyStore = createMemoryKeyValueStore();
      const { messaging, sent } = fetching(response, { idempotencyStore });
      const key = { idempotencyKey: 'order-1001-shipped' };
      const error = await rejection(messaging.transactional.send(send, key));
      expect(error).toBeInstanceOf(RequestError);
      expect(error).toMatchObject({ outcome: 'unknown', retryable: false, attempts: 1 });
      expect(String(error)).toContain('The service may have processed it. Check before you retry.');
      expect(JSON.stringify(error) + String(error)).not.toContain(phone.slice(1));
      expect(await rejection(messaging.transactional.send(send, key))).toMatchObject({
        code: 'outcome_unknown',
      });
      expect(sent).toHaveLength(1);
    },
  );

  test.each([
    ['no headers', undefined, undefined],
    ['null for headers', null, undefined],
    ['plain headers', { 'X-Request-Id': 'req_1', 'bad name': '1' }, 'req_1'],
  ])('a response with %s is read as far as it goes', async (_, headers, requestId) => {
    const { messaging } = fetching(() => ({ status: 200, headers, text }));
    const result = await messaging.transactional.send(send).withResponse();
    expect(result).toMatchObject({ data: { success: true }, requestId, attempts: 1 });
    expect(result.response.headers.get('content-type')).toBeNull();
  });

  test('a plain 404 is rejected, as that of any response', async () => {
    const body = JSON.stringify({ error: { code: 'not_found', message: 'No contact has this phone.' } });
    const { messaging } = fetching(() => ({ status: 404, text: async () => body }));
    const error = await rejection(messaging.transactional.send(send));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ outcome: 'rejected', status: 404 });
  });

  test('no HTTP response is said to be one, with what to correct', async () => {
    const { messaging } = fetching(() => ({ ok: true, text }));
    expect(String(await rejection(messaging.transactional.send(send)))).toBe(
      "RequestError: transactional.send got no HTTP response from the client's fetch or transport: its status is not a whole number from 200 to 999. The service may have processed it. Check before you retry.",
    );
  });
});

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['no status', { headers: new Headers(), body: accepted }],
  ['no body', { status: 200, headers: new Headers() }],
  ['a status that throws', throwing('status')],
])('a transport that returns %s leaves the outcome unknown', async (_, response) => {
  const transport = { exchange: async () => untyped<never>(response) };
  const messaging = new MessagingAutomation({ apiKey, ...unserved, transport });
  const error = await rejection(messaging.transactional.send(send));
  expect(error).toBeInstanceOf(RequestError);
  expect(error).toMatchObject({ outcome: 'unknown', retryable: false });
});

describe('what the options of a client do after an accepted send changes nothing about its outcome:', () => {
  const fail = () => {
    throw new Error(`broken for ${phone}`);
  };
  const limiterWith = (parts: object): Limiter =>
    untyped({ waiting: 0, acquire: async () => () => {}, pause() {}, ...parts });

  test.each<[string, ClientOptions, 'unknown' | 'rejected' | 'not_sent']>([
    [
      'a limiter that throws when the request ends',
      { limiter: limiterWith({ acquire: async () => fail }) },
      'unknown',
    ],
    ['a limiter that cannot admit', { limiter: limiterWith({ acquire: async () => fail() }) }, 'not_sent'],
    ['a limiter that throws at once', { limiter: limiterWith({ acquire: fail }) }, 'not_sent'],
  ])('%s', async (_, options, outcome) => {
    const { messaging, requests } = await startClient(reply(200, { success: true }), options);
    const error = await rejection(messaging.transactional.send(send));
    expect(error).toBeInstanceOf(RequestError);
    expect(error).toMatchObject({ outcome, retryable: false });
    expect(String(error)).toContain('failed in the client, or in a part that its options gave it');
    expect(String(error)).not.toContain(phone);
    expect(requests).toHaveLength(outcome === 'not_sent' ? 0 : 1);
  });

  test.each<[string, ClientOptions]>([
    ['a source of randomness that throws before a retry', { random: fail }],
    ['a limiter that cannot pause', { limiter: limiterWith({ pause: fail }) }],
  ])('%s', async (_, options) => {
    const { messaging, requests } = await startClient(inTurn(reply(429, {}), reply(200, {})), options);
    const error = await rejection(messaging.transactional.send(send));
    expect(error).toMatchObject({ name: 'RequestError', outcome: 'rejected', attempts: 1 });
    expect(requests).toHaveLength(1);
  });

  test('a logger and a clock that throw', async () => {
    const clock = { ...eagerClock(), now: fail, monotonic: () => 0 };
    const logger = { debug: fail, info: fail, warn: fail, error: fail };
    const { messaging } = await startClient(reply(200, { success: true }), { logger });
    expect(await messaging.transactional.send(send)).toEqual({ success: true });
    const error = await rejection(messaging.withOptions({ clock }).transactional.send(send));
    expect(error).toMatchObject({ name: 'RequestError', outcome: 'unknown' });
  });
});

describe('a signal whose reason is an error of a lost connection', () => {
  test('ends the call with that reason, and no retry follows', async () => {
    const stop = new AbortController();
    const reason = new ConnectionError('lost', {
      operation: 'templates.list',
      outcome: 'not_sent',
      retryable: true,
      attempts: 1,
    });
    const { messaging, requests, received } = await startClient(() => {});
    const call = messaging.templates.list({ signal: stop.signal });
    await received(1);
    stop.abort(reason);
    expect(await rejection(call)).toBe(reason);
    expect(requests).toHaveLength(1);
  });
});

test('a response whose text never comes ends at the deadline', async () => {
  const clock = manualClock();
  const { messaging, sent } = fetching(() => ({ status: 200, text: () => never }), { clock });
  const call = rejection(messaging.transactional.send(send));
  await until('the request', () => sent.length > 0);
  clock.advance(30_000);
  expect(await call).toBeInstanceOf(TimeoutError);
  expect(await call).toMatchObject({ outcome: 'unknown' });
});
