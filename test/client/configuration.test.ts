import { tracingChannel } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import {
  type ClientOptions,
  ConfigurationError,
  createMemoryKeyValueStore,
  defineWorkspace,
  InvalidInputError,
  MessagingAutomation,
  MessagingAutomationError,
  NotConfiguredError,
  RequestError,
} from 'messaging-automation';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { stubProcess } from '../stub-process.js';
import { reply } from './support/behaviours.js';
import { apiKey, phone, send, unserved } from './support/samples.js';
import { clientOf, rejection, startClient } from './support/service.js';

const baseUrl = 'https://messaging.example.test/api';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

/** What the constructor complains of. */
function complaint(options: ClientOptions): string {
  try {
    new MessagingAutomation(options);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toBeInstanceOf(MessagingAutomationError);
    return String(error);
  }
  throw new Error('The constructor was expected to complain.');
}

describe('the key and the base URL', () => {
  test('come from the environment where they are not given', () => {
    vi.stubEnv('MESSAGING_AUTOMATION_API_KEY', apiKey);
    vi.stubEnv('MESSAGING_AUTOMATION_BASE_URL', baseUrl);

    expect(new MessagingAutomation().toJSON()).toEqual({ baseUrl });
    expect(new MessagingAutomation({ baseUrl: 'http://localhost/api' }).toJSON().baseUrl).toBe(
      'http://localhost/api',
    );
  });

  const nothing = [undefined, ''];
  const askForKey = 'pass apiKey, or set the environment variable MESSAGING_AUTOMATION_API_KEY';
  const askForBaseUrl = 'pass baseUrl, or set the environment variable MESSAGING_AUTOMATION_BASE_URL';

  /** What a client without them warns of, and what its first call fails with. */
  async function warningAndFailure(options: ClientOptions) {
    using warnings = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const messaging = new MessagingAutomation(options);
    expect(warnings.mock.calls).toEqual([[expect.any(String), 'MessagingAutomationConfiguration']]);
    const error = await rejection(messaging.transactional.send(send));
    expect(error).toBeInstanceOf(NotConfiguredError);
    expect(error).toBeInstanceOf(RequestError);
    expect(error).toMatchObject({ outcome: 'not_sent', retryable: false, attempts: 0 });
    expect(warnings).toHaveBeenCalledOnce();
    return [String(warnings.mock.calls[0]?.[0]), String(error)];
  }

  test.each(nothing.flatMap((given) => nothing.map((inEnvironment) => ({ given, inEnvironment }))))(
    'that are missing are one warning, and an error of the first call: given %o',
    async ({ given, inEnvironment }) => {
      vi.stubEnv('MESSAGING_AUTOMATION_API_KEY', inEnvironment);
      vi.stubEnv('MESSAGING_AUTOMATION_BASE_URL', inEnvironment);

      for (const text of await warningAndFailure({ apiKey: given, baseUrl }))
        expect(text).toContain(askForKey);
      for (const text of await warningAndFailure({ apiKey: () => apiKey, baseUrl: given }))
        expect(text).toContain(askForBaseUrl);
      for (const text of await warningAndFailure({ apiKey: given, baseUrl: given })) {
        expect(text).toContain(askForKey);
        expect(text).toContain(askForBaseUrl);
      }
    },
  );

  test('are missing as well where there is no environment, or one that throws', async () => {
    const throwing = new Proxy(
      {},
      {
        get: () => {
          throw new Error('not here');
        },
      },
    );
    for (const runtime of [undefined, {}, { env: { MESSAGING_AUTOMATION_API_KEY: 7 } }, { env: throwing }]) {
      stubProcess(runtime);
      using _ = vi.spyOn(console, 'warn').mockReturnValue();
      const error = await rejection(new MessagingAutomation({ baseUrl }).templates.list());
      expect(String(error)).toContain(askForKey);
    }
  });

  test('are read again by each call until they are there, also by clients made of the client', async () => {
    const { baseUrl: served, requests } = await startClient(reply(200, []));
    vi.stubEnv('MESSAGING_AUTOMATION_API_KEY', undefined);
    vi.stubEnv('MESSAGING_AUTOMATION_BASE_URL', undefined);
    const idempotencyStore = createMemoryKeyValueStore();
    using warnings = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const messaging = new MessagingAutomation({ idempotencyStore });
    const derived = messaging.withOptions({ timeout: 5_000 });
    const typed = messaging.withOptions({ workspace: defineWorkspace({ events: {} }) });
    for (const client of [messaging, derived, typed]) {
      expect(await rejection(client.templates.list())).toBeInstanceOf(NotConfiguredError);
      expect(await rejection(client.request({ method: 'GET', path: '/v1/more' }))).toBeInstanceOf(
        NotConfiguredError,
      );
      expect(await rejection(client.events.unsettled())).toBeInstanceOf(NotConfiguredError);
      expect(await rejection(client.transactional.settle('key', 'sent'))).toBeInstanceOf(NotConfiguredError);
      expect(client.toJSON()).toEqual({ baseUrl: '' });
    }
    expect(requests).toEqual([]);

    vi.stubEnv('MESSAGING_AUTOMATION_API_KEY', apiKey);
    expect(String(await rejection(messaging.templates.list()))).not.toContain(askForKey);
    vi.stubEnv('MESSAGING_AUTOMATION_BASE_URL', 'ftp://messaging.example.test');
    expect(await rejection(messaging.templates.list())).toMatchObject({
      name: 'NotConfiguredError',
      message: expect.stringContaining('baseUrl must begin with https://'),
    });
    vi.stubEnv('MESSAGING_AUTOMATION_BASE_URL', served);
    for (const client of [messaging, derived, typed]) expect(await client.templates.list()).toEqual([]);
    expect(requests.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill(`Bearer ${apiKey}`));
    expect(messaging.toJSON()).toEqual({ baseUrl: served });

    // What was found once stays: the environment may be cleared.
    vi.stubEnv('MESSAGING_AUTOMATION_API_KEY', undefined);
    expect(await messaging.templates.list()).toEqual([]);
    expect(warnings).toHaveBeenCalledTimes(3);
  });

  test('that are missing stop a bulk run at its first item, and free its key', async () => {
    vi.stubEnv('MESSAGING_AUTOMATION_API_KEY', undefined);
    using _ = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const messaging = new MessagingAutomation({ baseUrl, idempotencyStore: createMemoryKeyValueStore() });
    const summary = await messaging.transactional.sendMany([send, send, send], {
      concurrency: 1,
      idempotencyKey: (_, index) => `order-${index}`,
    });

    expect(summary).toMatchObject({
      done: 0,
      rejected: 1,
      unknown: 0,
      stoppedBecause: { reason: 'not_authorized', index: 0 },
    });
  });

  test('that are missing are logged and traced as any failure', async () => {
    vi.stubEnv('MESSAGING_AUTOMATION_BASE_URL', undefined);
    using _ = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const logger = { error: vi.fn() };
    const ended = vi.fn();
    const channel = tracingChannel<object, object>('messaging-automation:call');
    channel.error.subscribe(ended);
    const error = await rejection(new MessagingAutomation({ apiKey, logger }).templates.list());
    channel.error.unsubscribe(ended);

    expect(error).toBeInstanceOf(NotConfiguredError);
    expect(logger.error.mock.calls[0]?.[0]).toMatchObject({
      errorName: 'NotConfiguredError',
      outcome: 'not_sent',
    });
    expect(ended.mock.calls[0]?.[0]).toMatchObject({ error, outcome: 'not_sent', serverAddress: '' });
  });

  test('a slash at the end of the base URL makes no difference', async () => {
    const { messaging, requests, baseUrl: served } = await startClient(reply(200, []));
    await messaging.withOptions({ baseUrl: `${served}/` }).templates.list();

    expect(requests[0]?.url).toBe('/api/v1/templates');
  });
});

test.each<[string, ClientOptions]>([
  ['apiKey', { apiKey: `${apiKey}\n` }],
  ['apiKey', { apiKey: 'clé' }],
  ['baseUrl', { baseUrl: 'messaging.example.test/api' }],
  ['user name', { baseUrl: 'https://user:hunter2@messaging.example.test/api' }],
  ['?', { baseUrl: `${baseUrl}?a=b` }],
  ['must not end in /v1', { baseUrl: `${baseUrl}/v1/` }],
  ['headers.authorization', { headers: { authorization: 'Basic x' } }],
  [
    'fetch cannot be combined with transport',
    { fetch, transport: { exchange: () => Promise.reject(new Error()) } },
  ],
])('the constructor complains of %s and repeats no secret', (word, options) => {
  const text = complaint({ apiKey, baseUrl, ...options });

  expect(text).toContain(word);
  expect(text).not.toMatch(/canary|hunter2/);
});

describe('clear text to another machine', () => {
  test.each(['http://messaging.example.test/api', 'http://localhost.example.test/api', 'http://[::2]/api'])(
    'is refused: %s',
    (address) => {
      expect(complaint({ apiKey, baseUrl: address })).toContain('set allowInsecureHttp');
      const options = { apiKey, baseUrl: address, allowInsecureHttp: true };
      expect(new MessagingAutomation(options).toJSON().baseUrl).toBe(address);
    },
  );

  test.each(['http://localhost:4010/api', 'http://127.1.2.3:80/api', 'http://[::1]:4010/api'])(
    'is none on this machine: %s',
    (address) => {
      expect(() => new MessagingAutomation({ apiKey, baseUrl: address })).not.toThrow();
    },
  );
});

test('a base URL that does not end in /api is warned of, once', () => {
  const warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  for (const path of ['/', '/gateway/v2', '/gateway/v2/'])
    new MessagingAutomation({ apiKey, baseUrl: `https://messaging.example.test${path}` });
  new MessagingAutomation({ apiKey, baseUrl });

  const warning =
    'baseUrl does not end in /api, where the service responds. Should it, as in https://messaging.example.com/api?';
  expect(warnings.mock.calls.map(([message]) => message)).toEqual([warning, warning]);
  warnings.mockRestore();
});

test('an option that the client does not know is warned of once, and so is an undefined protection', () => {
  const warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const known: Record<keyof ClientOptions, undefined> = {
    ...{ apiKey: undefined, baseUrl: undefined, allowInsecureHttp: undefined, timeout: undefined },
    ...{ retries: undefined, backoff: undefined, maxRetryAfter: undefined, maxResponseBytes: undefined },
    ...{ headers: undefined, appInfo: undefined, limiter: undefined, fetch: undefined, transport: undefined },
    ...{
      clock: undefined,
      random: undefined,
      validation: undefined,
      onDrift: undefined,
      workspace: undefined,
    },
    ...{ middleware: undefined, idempotencyStore: undefined, idempotencyRetention: undefined },
    ...{ guards: undefined, logger: undefined },
  };
  const misspelt = { apiKey, baseUrl, guard: [], Retries: 1 };
  for (const options of [misspelt, misspelt, { ...known, apiKey, baseUrl }]) new MessagingAutomation(options);

  expect(warnings.mock.calls.map(([message]) => message)).toEqual([
    'MessagingAutomation: guard is not an option (do you mean guards?). It has no effect.',
    'MessagingAutomation: Retries is not an option (do you mean retries?). It has no effect.',
    'MessagingAutomation: guards is undefined, and protects nothing: give it a value, or leave it out. It has no effect.',
  ]);
  warnings.mockRestore();
});

test('printed or serialised, a client shows its base URL and nothing else', () => {
  const messaging = new MessagingAutomation({ apiKey, baseUrl });

  expect(inspect(messaging)).toBe(`MessagingAutomation { baseUrl: '${baseUrl}' }`);
  expect(JSON.stringify({ messaging })).toBe(JSON.stringify({ messaging: { baseUrl } }));
  expect(inspect({ ...messaging }, { depth: null, showHidden: true })).not.toContain(apiKey);
});

describe('withOptions', () => {
  test('takes over what it is not given, and leaves the client as it was', async () => {
    const headers = { 'x-tenant': 'blue' };
    const { messaging, requests } = await startClient(reply(200, []), { headers });
    await messaging.withOptions({ apiKey: 'another-key' }).templates.list();
    await messaging.templates.list();

    expect(requests.map((request) => [request.headers.authorization, request.headers['x-tenant']])).toEqual([
      ['Bearer another-key', 'blue'],
      [`Bearer ${apiKey}`, 'blue'],
    ]);
  });

  test('gives the client another workspace or none, and keeps its own without the option', async () => {
    const one = defineWorkspace({ events: { order_placed: z.object({ total: z.number() }) } });
    const other = defineWorkspace({ events: { signed_up: z.object({ plan: z.string() }) } });
    const { messaging, requests } = await startClient(reply(202, { success: true, message: 'ok' }));
    const typed = messaging.withOptions({ workspace: one });
    expect(typed.workspace).toBe(one);
    expect(typed.withOptions({ timeout: 5_000 }).workspace).toBe(one);
    const changed = typed.withOptions({ workspace: other });
    const plain = changed.withOptions({ workspace: null });
    expect([messaging.workspace, changed.workspace, plain.workspace]).toEqual([undefined, other, undefined]);

    const misspelt = { event: 'signd_up', phone: '+15551234567' };
    await expect(Reflect.apply(changed.events.track, changed.events, [misspelt])).rejects.toThrow(
      InvalidInputError,
    );
    expect(requests).toEqual([]);
    await plain.events.track(misspelt);
    expect(requests).toHaveLength(1);
  });

  test('may give a fetch in place of a transport, and the other way round', async () => {
    const transport = { exchange: async () => ({ status: 200, headers: new Headers(), body: '["t"]' }) };
    const fetch = async () => new Response('[{"id":"f"}]');
    const byTransport = clientOf(unserved, { transport, validation: 'off' });

    expect(await byTransport.withOptions({ fetch }).templates.list()).toEqual([{ id: 'f' }]);
    expect(await byTransport.withOptions({ fetch }).withOptions({ transport }).templates.list()).toEqual([
      't',
    ]);
    expect(await byTransport.withOptions({ timeout: 5 }).templates.list()).toEqual(['t']);
  });
});

test('User-Agent names the package, the runtime and the application', async () => {
  const appInfo = { name: 'shop', version: '2.4.0', url: 'https://shop.example.com' };
  const { messaging, requests } = await startClient(reply(200, []));
  for (const options of [{}, { appInfo }, { appInfo, headers: { 'User-Agent': 'mine' } }])
    await messaging.withOptions(options).templates.list();

  const [plain, named, replaced] = requests.map(({ headers }) => headers['user-agent'] ?? '');
  expect(plain).toMatch(/^messaging-automation\/\d+\.\d+\.\d+\S* (node|bun|deno)\/\d+\.\S+$/);
  expect(named).toBe(`${plain} shop/2.4.0 (https://shop.example.com)`);
  expect(replaced).toBe('mine');
});

test('a read is never responded from a cache, and no other call says anything of one', async () => {
  const caches: (string | undefined)[] = [];
  const fetch = async (_: string, { cache }: RequestInit) => {
    caches.push(cache);
    return Response.json({ id: 'c1', properties: {}, success: true });
  };
  const { contacts, transactional } = clientOf(unserved, { fetch });
  await contacts.find(phone);
  await transactional.send(send);

  expect(caches).toEqual(['no-store', undefined]);
});
