import {
  type ClientOptions,
  ConnectionError,
  createMemoryKeyValueStore,
  defineWorkspace,
  type KeyValueService,
  MessagingAutomation,
  MiddlewareError,
  RequestError,
} from 'messaging-automation';
import { describe, expect, test, vi } from 'vitest';
import { memoryCheckpoint } from './bulk/runs.js';
import { eagerClock } from './support/clocks.js';
import { apiKey, phone, send, unserved, untyped } from './support/samples.js';

const marked = (digest: string) => Object.assign(new Error('not a failure'), { digest });

/** What frameworks have their functions throw. It is never a failure of a call. */
const signals: readonly (readonly [string, () => unknown])[] = [
  ['the dynamic page of Next.js', () => marked('DYNAMIC_SERVER_USAGE')],
  ['redirect() of Next.js', () => marked('NEXT_REDIRECT;replace;/login;307;')],
  ['notFound() of Next.js', () => marked('NEXT_HTTP_ERROR_FALLBACK;404')],
  ['a digest without an error', () => ({ digest: 'PAUSED' })],
  ['a promise, by which React suspends', () => new Promise(() => {})],
  // biome-ignore lint/suspicious/noThenProperty: that is what it is about
  ['a thenable', () => ({ then: vi.fn() })],
  ['redirect() of SvelteKit', () => ({ status: 303, location: '/login' })],
];

const redirectResponse = () => new Response(null, { status: 302, headers: { location: '/login' } });
const ofUsersOwnCode = [...signals, ['redirect() of React Router', redirectResponse] as const];

/** What only looks like it. */
const failures: readonly (readonly [string, () => unknown])[] = [
  ['the digest that React gives an error', () => marked('2147483647')],
  ['the digest that Next.js gives an error', () => marked('2147483647@E394')],
  ['an empty digest', () => marked('')],
  ['a digest that is no string', () => Object.assign(new Error('no'), { digest: 7 })],
  ['an error with a status', () => Object.assign(new Error('no'), { status: 302, location: '/' })],
  ['a status without a location', () => ({ status: 303 })],
  ['a location of a record that was created', () => ({ status: 201, location: '/' })],
  [
    'getters that throw',
    () =>
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('no');
          },
        },
      ),
  ],
];

const accepted = async () => new Response('{"success":true}');
const client = (options: ClientOptions) =>
  new MessagingAutomation({
    apiKey,
    ...unserved,
    ...(options.transport ? {} : { fetch: accepted }),
    clock: eagerClock(),
    ...options,
  });

/** What a call rejects with, in a box: a promise may not be the value of another one. */
async function thrownBy(work: PromiseLike<unknown>): Promise<{ readonly thrown: unknown }> {
  return work.then(
    () => Promise.reject(new Error('It resolved.')),
    (thrown: unknown) => ({ thrown }),
  );
}

/** A store whose operation throws, at its first call or only once a request was made. */
function storeWith(operation: keyof KeyValueService, fail: () => never): KeyValueService {
  return { ...createMemoryKeyValueStore(), [operation]: async () => fail() };
}

const schema = (fail: () => never) => ({
  '~standard': { version: 1, vendor: 'test', validate: async () => fail() } as const,
});

/** Where the code of a user runs inside of a call, what became of the request, and the options of the client. */
const places: readonly (readonly [
  string,
  'not_sent' | 'unknown' | 'rejected',
  (fail: () => never) => ClientOptions,
])[] = [
  ['the function apiKey', 'not_sent', (fail) => ({ apiKey: async () => fail() })],
  ['the function apiKey, synchronously', 'not_sent', (fail) => ({ apiKey: fail })],
  ['a middleware before the request', 'not_sent', (fail) => ({ middleware: [async () => fail()] })],
  [
    'a middleware after the request',
    'unknown',
    (fail) => ({ middleware: [(request, next) => next(request).then(fail)] }),
  ],
  ['an inner middleware', 'not_sent', (fail) => ({ middleware: [(request, next) => next(request), fail] })],
  ['a guard', 'not_sent', (fail) => ({ guards: [{ check: async () => fail() }] })],
  ['a guard, synchronously', 'not_sent', (fail) => ({ guards: [{ check: fail }] })],
  [
    'a limiter',
    'not_sent',
    (fail) => ({ limiter: { waiting: 0, acquire: async () => fail(), pause: fail } }),
  ],
  ['the get of an idempotency store', 'not_sent', (fail) => ({ idempotencyStore: storeWith('get', fail) })],
  ['the set of an idempotency store', 'not_sent', (fail) => ({ idempotencyStore: storeWith('set', fail) })],
  [
    'the setIfAbsent of an idempotency store',
    'not_sent',
    (fail) => ({ idempotencyStore: storeWith('setIfAbsent', fail) }),
  ],
];

const atTheWire: typeof places = [
  ['fetch', 'unknown', (fail) => ({ fetch: async () => fail() })],
  ['fetch, synchronously', 'unknown', (fail) => ({ fetch: fail })],
  ['a transport', 'unknown', (fail) => ({ transport: { exchange: async () => fail() } })],
  [
    'a transport before it sends',
    'not_sent',
    (fail) => ({ transport: { announcesSending: true, exchange: async () => fail() } }),
  ],
];

const matrix = [
  ...places.flatMap((place) => ofUsersOwnCode.map((signal) => [...place, ...signal] as const)),
  ...atTheWire.flatMap((place) => signals.map((signal) => [...place, ...signal] as const)),
];

test.each(matrix)(
  '%s (%s): what steers the framework passes as it is, once: %s',
  async (_, outcome, optionsOf, __, signalOf) => {
    const signal = signalOf();
    const fail = vi.fn((): never => {
      throw signal;
    });
    const options = optionsOf(fail);
    const isKeyed = options.idempotencyStore !== undefined;
    const call = client(options).transactional.send(send, isKeyed ? { idempotencyKey: 'order-1' } : {});
    const { thrown } = await thrownBy(call);

    expect(Object.is(thrown, signal)).toBe(true);
    expect(fail).toHaveBeenCalledOnce();
    // A middleware that fails after an accepted request knows what became of it as little as its caller.
    expect(call.outcome).toBe(outcome);
  },
);

test.each(
  [...places, ...atTheWire].flatMap((place) => failures.map((failure) => [...place, ...failure] as const)),
)(
  '%s (%s): what only looks like it is a failure of the call: %s',
  async (_, __, optionsOf, ___, failureOf) => {
    const options = optionsOf(() => {
      throw failureOf();
    });
    const isKeyed = options.idempotencyStore !== undefined;
    const call = client(options).transactional.send(send, isKeyed ? { idempotencyKey: 'order-1' } : {});
    expect((await thrownBy(call)).thrown).toBeInstanceOf(RequestError);
  },
);

describe('what steers the framework', () => {
  const signal = marked('NEXT_REDIRECT;replace;/login;307;');
  const fail = (): never => {
    throw signal;
  };

  test('is retried by nobody, also where a retry is safe', async () => {
    const fetch = vi.fn(fail);
    expect((await thrownBy(client({ fetch }).templates.list())).thrown).toBe(signal);
    expect(fetch).toHaveBeenCalledOnce();
  });

  test('after a request may have left, leaves its idempotency key with an unknown outcome', async () => {
    const idempotencyStore = createMemoryKeyValueStore();
    const key = { idempotencyKey: 'order-1' };
    const steered = client({ idempotencyStore, fetch: fail });
    expect((await thrownBy(steered.transactional.send(send, key))).thrown).toBe(signal);
    expect(await steered.transactional.unsettled()).toMatchObject([key]);
    const { thrown } = await thrownBy(client({ idempotencyStore }).transactional.send(send, key));
    expect(thrown).toMatchObject({ code: 'outcome_unknown' });
  });

  test('before any request, leaves its idempotency key free', async () => {
    const idempotencyStore = createMemoryKeyValueStore();
    const key = { idempotencyKey: 'order-1' };
    const steered = client({ idempotencyStore, apiKey: fail });
    expect((await thrownBy(steered.transactional.send(send, key))).thrown).toBe(signal);
    expect(await client({ idempotencyStore }).transactional.send(send, key)).toEqual({ success: true });
  });

  test('passes out of the store that is asked again, after a long wait, whether the key is still that of the call', async () => {
    let now = 0;
    const idempotencyStore = storeWith('replaceIfEqual', fail);
    const middleware: ClientOptions['middleware'] = [
      (request, next) => {
        now += 16_000; // half of the lease, and more
        return next(request);
      },
    ];
    const clock = { now: () => now, setTimer: () => () => {} };
    const steered = client({ idempotencyStore, middleware, clock });
    const call = steered.transactional.send(send, { idempotencyKey: 'order-1' });
    expect((await thrownBy(call)).thrown).toBe(signal);
    expect(call.outcome).toBe('not_sent');
  });

  test('passes out of the schemas of a workspace, for a request and for a response', async () => {
    const workspace = defineWorkspace({ properties: { plan: schema(fail) } });
    const upsert = client({ workspace }).contacts.upsert({ phone, properties: { plan: untyped('pro') } });
    expect((await thrownBy(upsert)).thrown).toBe(signal);
    const fetch = async () => Response.json({ id: 'c1', properties: { plan: 'pro' } });
    expect((await thrownBy(client({ workspace, fetch }).contacts.get('c1'))).thrown).toBe(signal);
  });

  test('passes out of what the client reads of an input', async () => {
    const properties = untyped<{ plan: string }>({
      get plan() {
        return fail();
      },
    });
    expect((await thrownBy(client({}).contacts.upsert({ phone, properties }))).thrown).toBe(signal);
  });

  test('passes out of the store of settle and unsettled', async () => {
    const { transactional } = client({ idempotencyStore: storeWith('get', fail) });
    expect((await thrownBy(transactional.settle('order-1', 'sent'))).thrown).toBe(signal);
  });

  test('is ignored from what only watches: loggers and onDrift', async () => {
    const logger = { debug: fail, info: fail, error: fail };
    const fetch = async () => Response.json({ data: [{}] });
    expect(await client({ logger, onDrift: fail, fetch }).templates.list()).toEqual([{}]);
  });

  test('is logged as no failure', async () => {
    const logger = { info: vi.fn(), error: vi.fn() };
    await thrownBy(client({ logger, fetch: fail }).templates.list());
    expect(logger.info.mock.calls.map(([, message]) => message)).toEqual([
      expect.stringContaining('templates.list was ended by the framework around it after'),
    ]);
    expect(logger.error).not.toHaveBeenCalled();
  });
});

test('a response that a fetch function throws is what it got, and no redirect of a framework', async () => {
  const fetch = async () => Promise.reject(redirectResponse());
  const { thrown } = await thrownBy(client({ fetch }).transactional.send(send));
  expect(thrown).toBeInstanceOf(ConnectionError);
  expect(thrown).toMatchObject({ outcome: 'unknown' });
});

test('a response of the service that a middleware throws is no redirect of a framework', async () => {
  const fetch = async () => redirectResponse();
  const middleware: ClientOptions['middleware'] = [
    async (request, next) => {
      throw await next(request);
    },
  ];
  const { thrown } = await thrownBy(client({ fetch, middleware }).transactional.send(send));
  expect(thrown).toBeInstanceOf(MiddlewareError);
});

describe('a bulk run', () => {
  const signal = marked('DYNAMIC_SERVER_USAGE');
  const fail = (): never => {
    throw signal;
  };
  const sends = Array.from({ length: 20 }, () => send);

  async function* failingInputs() {
    yield send;
    fail();
  }

  test.each<[string, ClientOptions, () => Parameters<MessagingAutomation['transactional']['sendEach']>]>([
    [
      'its key function',
      { idempotencyStore: createMemoryKeyValueStore() },
      () => [sends, { idempotencyKey: fail }],
    ],
    ['its input', {}, () => [failingInputs()]],
    ['an item that is a promise', {}, () => [[send, Promise.reject(signal)]]],
    ['a fetch', { fetch: fail }, () => [sends]],
    ['the function apiKey', { apiKey: fail }, () => [sends]],
    ['a checkpoint that loads', {}, () => [sends, { checkpoint: { load: fail, save: async () => {} } }]],
    [
      'a checkpoint that saves',
      {},
      () => [sends, { checkpoint: { load: async () => undefined, save: fail } }],
    ],
  ])('rejects with what steers the framework from %s, in its loop and without', async (_, options, given) => {
    const loop = async () => {
      for await (const _ of client(options).transactional.sendEach(...given()));
    };
    expect((await thrownBy(loop())).thrown).toBe(signal);
    expect((await thrownBy(client(options).transactional.sendMany(...given()))).thrown).toBe(signal);
  });

  test('makes no further call then, and the checkpoint has what was sent and what may be', async () => {
    const checkpoint = memoryCheckpoint();
    let requests = 0;
    const fetch = async () => (++requests === 3 ? fail() : accepted());
    const run = client({ fetch }).transactional.sendMany(sends, { checkpoint, concurrency: 1 });
    expect((await thrownBy(run)).thrown).toBe(signal);
    expect(requests).toBe(3);

    const outcomes: string[] = [];
    for await (const { index, status } of client({}).transactional.sendEach(sends, {
      checkpoint,
      concurrency: 1,
    }))
      if (index < 4) outcomes.push(`${index} ${status}`);
    expect(outcomes[0]).toBe('2 unknown');
    expect(outcomes).not.toContain('0 done');
  });

  test('leaves the item open whose request did not leave', async () => {
    const checkpoint = memoryCheckpoint();
    const run = client({ apiKey: fail }).transactional.sendMany([send], { checkpoint });
    expect((await thrownBy(run)).thrown).toBe(signal);
    expect(await client({}).transactional.sendMany([send], { checkpoint })).toMatchObject({
      done: 1,
      unknown: 0,
    });
  });

  test('ignores it from onProgress', async () => {
    expect(await client({}).transactional.sendMany([send], { onProgress: fail })).toMatchObject({ done: 1 });
  });
});
