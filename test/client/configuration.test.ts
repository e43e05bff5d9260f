import { inspect } from 'node:util';
import {
  type ClientOptions,
  ConfigurationError,
  MessagingAutomation,
  MessagingAutomationError,
} from 'messaging-automation';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { answer, apiKey, clientOf, startService } from './support/service.js';

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

  test('are asked for by name where they are nowhere', () => {
    vi.stubEnv('MESSAGING_AUTOMATION_API_KEY', '');
    vi.stubEnv('MESSAGING_AUTOMATION_BASE_URL', undefined);

    expect(complaint({ baseUrl })).toContain(
      'pass apiKey, or set the environment variable MESSAGING_AUTOMATION_API_KEY',
    );
    expect(complaint({ apiKey })).toContain(
      'pass baseUrl, or set the environment variable MESSAGING_AUTOMATION_BASE_URL',
    );
  });

  test('are asked for as well where there is no environment', () => {
    const { emitWarning } = process;
    for (const runtime of [undefined, {}, { env: { MESSAGING_AUTOMATION_API_KEY: 7 } }]) {
      vi.stubGlobal('process', runtime && { emitWarning, ...runtime });
      expect(complaint({ baseUrl })).toContain('apiKey');
    }
  });

  test('a slash at the end of the base URL makes no difference', async () => {
    const service = await startService(answer(200, []));
    await clientOf({ baseUrl: `${service.baseUrl}/` }).templates.list();

    expect(service.requests[0]?.url).toBe('/api/v1/templates');
  });
});

test.each<[string, ClientOptions]>([
  ['apiKey', { apiKey: `${apiKey}\n` }],
  ['apiKey', { apiKey: 'clé' }],
  ['baseUrl', { baseUrl: 'messaging.example.test/api' }],
  ['baseUrl', { baseUrl: 'ftp://messaging.example.test/api' }],
  ['user name', { baseUrl: 'https://user:hunter2@messaging.example.test/api' }],
  ['?', { baseUrl: `${baseUrl}?a=b` }],
  ['#', { baseUrl: `${baseUrl}#a` }],
  ['must not end in /v1', { baseUrl: `${baseUrl}/v1/` }],
  ['timeout', { timeout: 0 }],
  ['retries', { retries: Number.POSITIVE_INFINITY }],
  ['backoff.initial', { backoff: { initial: -1 } }],
  ['backoff.max', { backoff: { max: Number.NaN } }],
  ['maxRetryAfter', { maxRetryAfter: -1 }],
  ['headers.authorization', { headers: { authorization: 'Basic x' } }],
  ['validation', { validation: JSON.parse('"loud"') }],
])('the constructor complains of %s and repeats no secret', (word, options) => {
  const text = complaint({ apiKey, baseUrl, ...options });

  expect(text).toContain(word);
  expect(text).not.toMatch(/canary|hunter2/);
});

test('printed or serialised, a client shows its base URL and nothing else', () => {
  const messaging = new MessagingAutomation({ apiKey, baseUrl });

  expect(inspect(messaging)).toBe(`MessagingAutomation { baseUrl: '${baseUrl}' }`);
  expect(JSON.stringify({ messaging })).toBe(JSON.stringify({ messaging: { baseUrl } }));
  expect(inspect({ ...messaging }, { depth: null, showHidden: true })).not.toContain(apiKey);
});
