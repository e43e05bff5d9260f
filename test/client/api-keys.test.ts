import { ApiKeyUnavailableError, AuthenticationError, TimeoutError } from 'messaging-automation';
import { describe, expect, test, vi } from 'vitest';
import { inTurn, reply } from './support/behaviours.js';
import { manualClock } from './support/clocks.js';
import { phone, send } from './support/samples.js';
import { failure, listTemplates, startClient } from './support/service.js';

const refused = reply(401, { error: { code: 'unauthorized' } });

/** Gives one key after the other; the last one stays. */
const keysInTurn = (...keys: readonly string[]) => {
  const left = [...keys];
  return vi.fn(async () => (left.length > 1 ? left.shift() : left[0]) ?? '');
};

describe('an API key that a function gives', () => {
  test('is asked for before each call, and may be given at once', async () => {
    const { messaging, requests } = await startClient(reply(200, []), {
      apiKey: keysInTurn('key-one', 'key-two'),
    });
    await messaging.templates.list();
    await messaging.templates.list();
    await messaging.withOptions({ apiKey: () => 'key-now' }).templates.list();

    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer key-one',
      'Bearer key-two',
      'Bearer key-now',
    ]);
  });

  test('is asked for again after a 401, and the call succeeds: also a send, of which nothing was done', async () => {
    const { messaging, requests } = await startClient(inTurn(refused, reply(200, { success: true })), {
      apiKey: keysInTurn('key-expired', 'key-fresh'),
    });

    expect(await messaging.transactional.send(send)).toEqual({ success: true });
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer key-expired',
      'Bearer key-fresh',
    ]);
  });

  test('is asked for again once, however often the service responds with 401', async () => {
    const apiKey = keysInTurn('key-one', 'key-two', 'key-three');
    const { error } = await failure(refused, listTemplates, { apiKey });

    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ attempts: 2, outcome: 'rejected' });
    expect(apiKey).toHaveBeenCalledTimes(2);
  });

  test.each([
    ['the client', { retries: 0 }, {}],
    ['the call', {}, { retries: 0 }],
  ])(
    'is not asked for again where the retries of %s are 0: that means one request',
    async (_, client, options) => {
      const { requests } = await failure(refused, ({ templates }) => templates.list(options), {
        apiKey: keysInTurn('key-one', 'key-two'),
        ...client,
      });

      expect(requests).toHaveLength(1);
    },
  );

  test('that does not come ends with the deadline, and nothing is sent', async () => {
    const clock = manualClock();
    const apiKey = () => {
      setImmediate(clock.advance, 30_000);
      return new Promise<string>(() => {});
    };
    const { error, requests } = await failure(reply(200, []), listTemplates, { clock, apiKey });

    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ outcome: 'not_sent', attempts: 0 });
    expect(requests).toHaveLength(0);
  });

  test.each<[string, () => string | Promise<string>]>([
    [
      'throws',
      () => {
        throw new Error(`no key for ${phone}`);
      },
    ],
    ['rejects', () => Promise.reject(new Error(`no key for ${phone}`))],
    ['gives an empty string', () => ''],
    ['gives a key with a line break', async () => 'key\n'],
  ])('whose function %s fails the call, and nothing is sent', async (_, apiKey) => {
    const { error, requests } = await failure(reply(200, []), listTemplates, { apiKey });

    expect(error).toBeInstanceOf(ApiKeyUnavailableError);
    expect(error).toMatchObject({ outcome: 'not_sent', attempts: 0, cause: { name: expect.any(String) } });
    expect(String(error)).not.toContain(phone);
    expect(requests).toHaveLength(0);
  });

  test('is masked in what the service repeats, the one before it as well', async () => {
    const keys = ['key-expired-0123456789', 'key-fresh-0123456789'];
    const echo = reply(400, { error: { code: 'bad', message: keys.join(' and ') } });
    const { error } = await failure(inTurn(refused, echo), listTemplates, { apiKey: keysInTurn(...keys) });

    expect(String(error)).toContain('*** and ***');
  });
});
