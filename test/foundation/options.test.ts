import {
  type ClientOptions,
  ConfigurationError,
  createLimiter,
  createMemoryKeyValueStore,
  createOptOutList,
  defineWorkspace,
  type LimiterOptions,
  MessagingAutomation,
} from 'messaging-automation';
import { fileCheckpoint } from 'messaging-automation/bulk';
import { type ConformanceOptions, checkConformance } from 'messaging-automation/conformance';
import { type MswHandlersOptions, mswHandlers } from 'messaging-automation/msw';
import { type PostgresStoreOptions, postgresStore } from 'messaging-automation/postgres';
import { createReferenceServer, type ReferenceServerOptions } from 'messaging-automation/server';
import { type UndiciTransportOptions, undiciTransport } from 'messaging-automation/undici';
import {
  createDedupeStore,
  createMemoryDedupeStore,
  createPostgresKeyValueStore,
  createRedisKeyValueStore,
  createWebhookReceiver,
  type DedupeStoreOptions,
  type MemoryDedupeStoreOptions,
  signTestDelivery,
  signWebhook,
  type TestDeliveryOptions,
  type UnwrapWebhookOptions,
  unwrapWebhook,
  unwrapWebhookAsync,
  type WebhookReceiverOptions,
} from 'messaging-automation/webhooks';
import { expect, test, vi } from 'vitest';

const nothing = () => undefined;
const aText = 'sk_live_4711';

/** Values that are wrong for an option of this kind. */
const wrong = {
  text: ['', 1, null, {}, true, nothing],
  anyText: [1, null, {}, true, nothing],
  flag: [aText, 1, null, {}, nothing],
  time: [aText, -1, Number.NaN, Number.POSITIVE_INFINITY, null, {}, true, nothing],
  limit: [aText, -1, 0, Number.NaN, null, {}, true, nothing],
  count: [aText, -1, 0.5, Number.NaN, null, {}, true, nothing],
  function: [aText, 1, null, {}, true],
  object: [aText, 1, null, true],
  /** Of an object with parts, of a list, and of one of a few words. */
  other: [aText, 1, null, {}, true, nothing],
} as const;

type Kind = keyof typeof wrong;
type Kinds<Options> = Readonly<Record<keyof Options, Kind | readonly unknown[]>>;

/** A function, how a test calls it with these options, and what kind each of its options is. */
interface Taker {
  readonly name: string;
  readonly call: (options: object) => unknown;
  readonly kinds: Readonly<Record<string, Kind | readonly unknown[]>>;
}

function taker<Options extends object>(
  name: string,
  call: (options: Options) => unknown,
  kinds: Kinds<Options>,
): Taker {
  return { name, call: (options) => Reflect.apply(call, undefined, [options]), kinds };
}

const [secret, baseUrl] = ['whsec_example', 'https://api.example.test/api'];
const body = JSON.stringify({
  event: 'contact.opted_in',
  workspaceId: 'workspace_1',
  timestamp: new Date().toISOString(),
  data: {},
});
const unwrapKinds: Kinds<UnwrapWebhookOptions> = {
  validation: 'other',
  onDrift: 'function',
  clock: 'other',
  tolerance: [aText, 1, null, true, [], { seconds: 5 }, { past: aText }, { future: -1 }],
};
/** Checked as a seed is. */
const seedOptions = ['workspaceId', 'templates', 'quota', 'contacts', 'journeys', 'segments'] as const;
type SeedOption = (typeof seedOptions)[number] | 'addOnCredits' | 'managedWebhooks' | 'now';

/** The options of `needed` that are not given. */
function missing<Needed extends object>(options: object, needed: Needed): Needed {
  return {
    ...needed,
    ...Object.fromEntries(
      Object.entries(options).filter(([name, value]) => name in needed && value !== undefined),
    ),
  };
}

const takers: readonly Taker[] = [
  taker<ClientOptions>(
    'MessagingAutomation',
    (options) => new MessagingAutomation({ ...options, ...missing(options, { apiKey: 'key', baseUrl }) }),
    {
      apiKey: [1, {}, true],
      baseUrl: [aText, 'ftp://example.com/api'],
      allowInsecureHttp: 'flag',
      timeout: 'limit',
      retries: 'count',
      backoff: [{ initial: aText }, { max: -1 }],
      maxRetryAfter: 'time',
      maxResponseBytes: 'limit',
      headers: [{ 'a b': 'c' }, { authorization: aText }, { name: 1 }],
      appInfo: [
        { name: 'a b' },
        { name: 'a', version: 'b c' },
        { name: 'a', url: 'a b' },
        { name: 'a', url: 'a(b)' },
      ],
      limiter: 'other',
      fetch: 'function',
      transport: 'other',
      clock: 'other',
      random: 'function',
      validation: 'other',
      onDrift: 'function',
      workspace: 'other',
      guards: [...wrong.other, [1], [() => 'a reason']],
      middleware: [...wrong.other, [1]],
      logger: 'other',
      idempotencyStore: 'other',
      idempotencyRetention: 'limit',
    },
  ),
  taker<LimiterOptions>('createLimiter', createLimiter, {
    concurrency: 'limit',
    requestsPerSecond: 'limit',
    clock: 'other',
  }),
  taker<NonNullable<Parameters<typeof fileCheckpoint>[1]> & { path: string }>(
    'fileCheckpoint',
    ({ path = 'checkpoint.json', ...options }) => fileCheckpoint(path, options),
    { path: 'text', lock: 'flag' },
  ),
  taker<MswHandlersOptions>(
    'mswHandlers',
    (options) => mswHandlers(createReferenceServer(), { ...options, ...missing(options, { baseUrl }) }),
    {
      baseUrl: ['', aText, 1, null, 'https://example.com/'],
    },
  ),
  taker<UndiciTransportOptions>('undiciTransport', undiciTransport, {
    connections: 'count',
    dispatcher: 'other',
  }),
  taker<PostgresStoreOptions>(
    'postgresStore',
    (options) =>
      postgresStore({
        ...options,
        ...(options.pool === undefined && missing(options, { connectionString: 'postgres:///none' })),
      }),
    {
      connectionString: 'text',
      pool: [...wrong.other, { connect: nothing, on: nothing, options: { max: 2 } }],
      schema: ['', 1, null, 'x'.repeat(59), 'a\0b', 'in$$out', 'pg_mine'],
      poolSize: 'count',
      lease: [...wrong.time, 99, '99ms'],
      replica: 'text',
      retention: [
        aText,
        1,
        null,
        { journal: aText },
        { deliveries: -1 },
        { sends: null },
        { journeyRuns: {} },
      ],
    },
  ),
  taker<Omit<ReferenceServerOptions, SeedOption>>('createReferenceServer', createReferenceServer, {
    apiKey: ['', 1, null, {}],
    state: 'object',
    store: 'other',
    clock: 'other',
    deliveryTimeout: 'time',
    shutdownGrace: 'time',
    bodyLimit: 'count',
    receiverAddresses: 'other',
    cors: [aText, 1, null, {}, true, ['example.com'], ['https://a.test', 'https://b.test/']],
    workbench: 'flag',
    allowedHosts: [aText, 1, null, {}, ['a:1']],
    metrics: 'flag',
    fetch: 'function',
    newId: 'function',
    randomBytes: 'function',
    log: 'function',
    systemClock: 'other',
    deliveryTimestamps: 'other',
    specGaps: 'object',
    faults: 'other',
    randomSeed: [aText, 0.5, null, {}, true],
  }),
  taker<Record<string, unknown>>(
    'createReferenceServer, as a seed',
    createReferenceServer,
    Object.fromEntries(seedOptions.map((name) => [name, [null, true, nothing]])),
  ),
  taker<ConformanceOptions>(
    'checkConformance',
    (options) =>
      checkConformance({
        ...options,
        ...missing(options, { baseUrl: 'http://127.0.0.1:1/api', apiKey: 'key' }),
      }),
    {
      baseUrl: ['', aText, 1, null],
      apiKey: ['', 1, null, {}],
      otherApiKey: ['', 1, null, {}],
      exhaustedApiKey: ['', 1, null, {}],
      send: [
        aText,
        1,
        null,
        { phone: aText, templateId: 'a' },
        { phone: '+15551234567', templateId: 'a', variables: aText },
      ],
      deliveries: [aText, 1, null, { provoke: aText }, { provoke: nothing, wait: aText }],
      events: 'flag',
      webhooks: 'flag',
      webhookUrl: [aText, 1, null],
      timeout: [aText, -1, null, {}],
      fetch: 'function',
      clock: 'other',
      newPhone: 'function',
      onCheck: 'function',
      signal: 'other',
    },
  ),
  taker<WebhookReceiverOptions>(
    'createWebhookReceiver',
    (options) => createWebhookReceiver({ ...options, ...missing(options, { secret }) }),
    {
      ...unwrapKinds,
      secret: [],
      clock: 'other',
      workspaceId: 'text',
      maxBodyBytes: 'limit',
      deadline: [...wrong.time, 99],
      lease: [...wrong.time, 99],
      handlerTimeout: [...wrong.time, 0],
      rememberFor: [...wrong.time, 0],
      maxConcurrent: 'limit',
      dedupe: 'other',
      dedupeKey: 'function',
      inOrder: 'other',
      enqueue: 'function',
      onUnknownEvent: 'function',
      onSlowHandler: 'function',
      onHandled: 'function',
      onDuplicate: 'function',
      onRefused: 'function',
      onError: 'function',
      waitUntil: 'function',
    },
  ),
  taker<UnwrapWebhookOptions>(
    'unwrapWebhook',
    (options) => unwrapWebhook(body, signWebhook(body, secret), secret, options),
    unwrapKinds,
  ),
  taker<UnwrapWebhookOptions>(
    'unwrapWebhookAsync',
    (options) => unwrapWebhookAsync(body, signWebhook(body, secret), secret, options),
    unwrapKinds,
  ),
  taker<TestDeliveryOptions>(
    'signTestDelivery',
    (options) => signTestDelivery({ ...options, ...missing(options, { secret }) }),
    {
      secret: [],
      event: 'text',
      data: 'object',
      workspaceId: 'text',
      timestamp: [aText, Number.NaN, {}, nothing, new Date(Number.NaN)],
      url: ['', aText, 1, null, {}],
      clock: 'other',
    },
  ),
  taker<MemoryDedupeStoreOptions>('createMemoryDedupeStore', createMemoryDedupeStore, {
    maxEntries: [...wrong.count, 0],
    onForgotten: 'function',
    clock: 'other',
  }),
  taker<{ prefix: string }>(
    'createRedisKeyValueStore',
    (options) => createRedisKeyValueStore({ eval: async () => 1, on: () => undefined }, options),
    { prefix: 'anyText' },
  ),
  taker<{ table: string }>(
    'createPostgresKeyValueStore',
    (options) =>
      createPostgresKeyValueStore({ query: async () => ({ rows: [] }), on: () => undefined }, options),
    { table: ['', 1, null, 'Rows', 'a-b', 'a.b.c', 'x'.repeat(49)] },
  ),
  taker<DedupeStoreOptions>(
    'createDedupeStore',
    (options) =>
      createDedupeStore(
        {
          get: async () => null,
          set: async () => undefined,
          setIfAbsent: async () => true,
          replaceIfEqual: async () => true,
          deleteIfEqual: async () => true,
        },
        options,
      ),
    { prefix: 'anyText' },
  ),
];

const cases = takers.flatMap(({ name, call, kinds }) =>
  Object.entries(kinds).map(([option, kind]) => ({
    name,
    option,
    call,
    values: typeof kind === 'string' ? wrong[kind] : kind,
  })),
);

test.each(cases)(
  '$name refuses each wrong $option when it is given, by name',
  async ({ option, call, values }) => {
    for (const value of values) {
      const error: unknown = await Promise.resolve()
        .then(() => call({ [option]: value }))
        .catch((reason: unknown) => reason);
      expect(error, `${option}: ${typeof value} ${JSON.stringify(value)}`).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toContain(option);
      expect(String(error)).not.toContain(aText);
    }
  },
);

test.each(takers)('$name takes each option as undefined', async ({ call, kinds }) => {
  const left = Object.fromEntries(
    Object.keys(kinds)
      .filter((name) => !['guards', 'workspaceId'].includes(name)) // of which `undefined` is warned of, once
      .map((name) => [name, undefined]),
  );
  await Promise.resolve(call(left)).catch((error: unknown) =>
    expect(error).not.toBeInstanceOf(ConfigurationError),
  );
});

/** What the process is warned of. */
function warningsOf(act: () => unknown): readonly string[] {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  try {
    act();
    return warned.mock.calls.map(([message]) => String(message));
  } finally {
    warned.mockRestore();
  }
}

test.each<[string, (options: object) => unknown, string]>([
  ['dedup', (options) => Reflect.apply(createWebhookReceiver, undefined, [{ secret, ...options }]), 'dedupe'],
  [
    'onerror',
    (options) => Reflect.apply(createWebhookReceiver, undefined, [{ secret, ...options }]),
    'onError',
  ],
  [
    'enque',
    (options) => Reflect.apply(createWebhookReceiver, undefined, [{ secret, ...options }]),
    'enqueue',
  ],
  [
    'phoneof',
    (options) =>
      Reflect.apply(createOptOutList, undefined, [{ store: createMemoryKeyValueStore(), ...options }]),
    'phoneOf',
  ],
  ['prefx', (options) => createRedisKeyValueStore({ eval: async () => 1 }, options), 'prefix'],
  [
    'tabel',
    (options) => createPostgresKeyValueStore({ query: async () => ({ rows: [] }) }, options),
    'table',
  ],
  ['conections', (options) => undiciTransport(options), 'connections'],
  ['lok', (options) => fileCheckpoint('checkpoint.json', options), 'lock'],
])('a function that sets something up warns of %s once, and shows no value', (name, call, meant) => {
  const warnings = warningsOf(() => {
    call({ [name]: aText });
    call({ [name]: aText });
  });

  expect(warnings).toEqual([
    expect.stringContaining(`: ${name} is not an option (do you mean ${meant}?). It has no effect.`),
  ]);
  expect(warnings.join()).not.toContain(aText);
});

test('of very many unknown names, ten are reported, and none that is more than a word', () => {
  const many = Object.fromEntries(Array.from({ length: 1_000_000 }, (_, index) => [`x${index}`, index]));
  expect(warningsOf(() => createLimiter(many))).toHaveLength(10);

  const strange: object = { '\u001b[2J': 1, '+15551234567': 2, [`a${'b'.repeat(100)}`]: 3 };
  expect(warningsOf(() => createLimiter(strange))).toEqual([
    'createLimiter: a name that is no word is not an option (the options are concurrency, requestsPerSecond, clock). It has no effect.',
  ]);
});

test('what a prototype has is no option that was given, and no getter of an unknown name is read', () => {
  const options = Object.create({ concurency: 1 });
  expect(warningsOf(() => createLimiter(options))).toEqual([]);
  const read = vi.fn();
  warningsOf(() =>
    createLimiter(Object.defineProperty({}, 'requestsPerSecnd', { enumerable: true, get: read })),
  );
  expect(read).not.toHaveBeenCalled();
});

test('a receiver warns of an undefined workspaceId', () => {
  expect(warningsOf(() => createWebhookReceiver({ secret, workspaceId: undefined }))).toEqual([
    expect.stringContaining(
      'workspaceId is undefined, and protects nothing: give it a value, or leave it out',
    ),
  ]);
});

test('an error says what the option was, and what it may be', () => {
  expect(() => createLimiter({ concurrency: -1 })).toThrow(
    'createLimiter: concurrency must be a whole number, 1 or more, or Infinity, not -1.',
  );
  expect(() => Reflect.apply(createWebhookReceiver, undefined, [null])).toThrow(
    'createWebhookReceiver: the options must be an object, such as { secret }, not null.',
  );
  expect(() => Reflect.construct(MessagingAutomation, ['key_1'])).toThrow(
    'MessagingAutomation: the options must be an object, such as { apiKey }, not a string.',
  );
  expect(() => postgresStore({})).toThrow('pass a connectionString or a pool, not both');
  expect(() => defineWorkspace(Reflect.get({}, 'definition'))).toThrow(ConfigurationError);
});
