import { ApiKeyUnavailableError, AuthenticationError, TimeoutError } from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { manualClock } from './support/clocks.js';
import { answer, clientOf, inTurn, phone, rejection, startService } from './support/service.js';

const refused = answer(401, { error: { code: 'unauthorized' } });
const send = { phone, templateId: 'order_update' };

/** Gives one key after the other; the last one stays. */
function keysInTurn(...keys: readonly string[]) {
  let asked = 0;
  const apiKey = async () => {
    asked += 1;
    return keys[Math.min(asked, keys.length) - 1] ?? '';
  };
  return { apiKey, asked: () => asked };
}

describe('an API key that a function gives', () => {
  test('is asked for before each call', async () => {
    const service = await startService(answer(200, []));
    const { apiKey } = keysInTurn('key-one', 'key-two');
    const messaging = clientOf(service, { apiKey });
    await messaging.templates.list();
    await messaging.templates.list();

    expect(service.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer key-one',
      'Bearer key-two',
    ]);
  });

  test('may be given at once', async () => {
    const service = await startService(answer(200, []));
    await clientOf(service, { apiKey: () => 'key-now' }).templates.list();

    expect(service.requests[0]?.headers.authorization).toBe('Bearer key-now');
  });

  test('is asked for again after a 401, and the call succeeds: also a send, of which nothing was done', async () => {
    const service = await startService(inTurn(refused, answer(200, { success: true })));
    const { apiKey } = keysInTurn('key-expired', 'key-fresh');

    expect(await clientOf(service, { apiKey }).transactional.send(send)).toEqual({ success: true });
    expect(service.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer key-expired',
      'Bearer key-fresh',
    ]);
  });

  test('is asked for again once, however often the service answers 401', async () => {
    const service = await startService(refused);
    const { apiKey, asked } = keysInTurn('key-one', 'key-two', 'key-three');
    const error = await rejection(clientOf(service, { apiKey }).templates.list());

    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ attempts: 2, outcome: 'rejected' });
    expect(asked()).toBe(2);
  });

  test.each([
    ['the client', { retries: 0 }, {}],
    ['the call', {}, { retries: 0 }],
  ])(
    'is not asked for again where the retries of %s are 0: that means one request',
    async (_, client, options) => {
      const service = await startService(refused);
      const { apiKey } = keysInTurn('key-one', 'key-two');
      await rejection(clientOf(service, { apiKey, ...client }).templates.list(options));

      expect(service.requests).toHaveLength(1);
    },
  );

  test('that does not come ends with the deadline, and nothing is sent', async () => {
    const clock = manualClock();
    const service = await startService(answer(200, []));
    const failed = rejection(
      clientOf(service, { clock, apiKey: () => new Promise(() => {}) }).templates.list(),
    );
    clock.advance(30_000);

    expect(await failed).toBeInstanceOf(TimeoutError);
    expect(await failed).toMatchObject({ outcome: 'not_sent', attempts: 0 });
    expect(service.requests).toHaveLength(0);
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
    const service = await startService(answer(200, []));
    const error = await rejection(clientOf(service, { apiKey }).templates.list());

    expect(error).toBeInstanceOf(ApiKeyUnavailableError);
    expect(error).toMatchObject({ outcome: 'not_sent', attempts: 0, cause: { name: expect.any(String) } });
    expect(String(error)).not.toContain(phone);
    expect(service.requests).toHaveLength(0);
  });

  test('is masked in what the service repeats, the one before it as well', async () => {
    const echo = answer(400, {
      error: { code: 'bad', message: 'key-expired-0123456789 and key-fresh-0123456789' },
    });
    const service = await startService(inTurn(refused, echo));
    const { apiKey } = keysInTurn('key-expired-0123456789', 'key-fresh-0123456789');
    const error = await rejection(clientOf(service, { apiKey }).templates.list());

    expect(String(error)).toContain('*** and ***');
  });
});
