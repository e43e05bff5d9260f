import { runInNewContext } from 'node:vm';
import { MessagingAutomation, type Middleware } from 'messaging-automation';
import nodeFetch from 'node-fetch';
import { fetch as undiciFetch } from 'undici';
import { describe, expect, test } from 'vitest';
import { answer } from './support/behaviours.js';
import { eagerClock } from './support/clocks.js';
import { apiKey, phone, send } from './support/samples.js';
import { clientOf, rejection, startService } from './support/service.js';

/** What a program without types may pass. */
function untyped<T>(value: unknown): T {
  return value as T;
}

/** Gives what an expression gives in a realm of its own, whose `Error` and `Headers` are not those of this one. */
function inAnotherRealm(expression: string): unknown {
  return runInNewContext(expression);
}

describe('an accepted send through a middleware', () => {
  const pass: Middleware = (request, next) => next(request);

  test.each([
    ['undici', undiciFetch],
    ['node-fetch', nodeFetch],
  ])('resolves over the fetch of %s, whose Headers are its own', async (_, fetch) => {
    const service = await startService(answer(200, { success: true }));
    const messaging = clientOf(service, { fetch: untyped(fetch), middleware: [pass] });

    expect(await messaging.transactional.send(send)).toEqual({ success: true });
    expect(service.requests).toHaveLength(1);
  });

  test('resolves when a transport gives the Headers of another realm', async () => {
    const headers: Headers = untyped(inAnotherRealm('({ get: () => null })'));
    const transport = { exchange: async () => ({ status: 200, headers, body: '{"success":true}' }) };
    const messaging = clientOf({ baseUrl: 'https://a.test/api' }, { transport, middleware: [pass] });

    expect(await messaging.transactional.send(send)).toEqual({ success: true });
  });
});

describe('a failure from another realm', () => {
  const refused = `Object.assign(new TypeError('fetch failed'), {
    cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' }),
  })`;
  const refusedTwice = `Object.assign(new TypeError('fetch failed'), {
    cause: new AggregateError(['::1', '127.0.0.1'].map((host) =>
      Object.assign(new Error('connect ECONNREFUSED ' + host), { code: 'ECONNREFUSED', syscall: 'connect' }))),
  })`;

  test.each([
    ['one address', refused],
    ['every address', refusedTwice],
  ])(
    'is known to have sent nothing where %s refused the connection, and is tried again',
    async (_, thrown) => {
      let requests = 0;
      const fetch = async () => {
        requests += 1;
        throw inAnotherRealm(thrown);
      };
      const options = { apiKey, baseUrl: 'https://a.test/api', clock: eagerClock(), fetch };
      const error = await rejection(new MessagingAutomation(options).transactional.send(send));

      expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not_sent', attempts: 3 });
      expect(requests).toBe(3);
    },
  );

  test('of a middleware is read and cleaned like any other', async () => {
    const careless: Middleware = () => {
      throw inAnotherRealm(`new RangeError('no room for ${phone}')`);
    };
    const messaging = clientOf({ baseUrl: 'https://a.test/api' }, { middleware: [careless] });
    const error = await rejection(messaging.templates.list());

    expect(error).toMatchObject({ name: 'MiddlewareError', cause: { name: 'RangeError' } });
    expect(String(error)).toContain('no room for');
    expect(String(error)).not.toContain(phone);
  });
});
