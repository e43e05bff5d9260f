import { runInNewContext } from 'node:vm';
import type { Middleware } from 'messaging-automation';
import nodeFetch from 'node-fetch';
import { fetch as undiciFetch } from 'undici';
import { describe, expect, test } from 'vitest';
import { reply } from './support/behaviours.js';
import { phone, send, untyped } from './support/samples.js';
import { clientOf, rejection, startService } from './support/service.js';

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
    const service = await startService(reply(200, { success: true }));
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

test('a failure from another realm, of a middleware, is read and cleaned like any other', async () => {
  const careless: Middleware = () => {
    throw inAnotherRealm(`new RangeError('no room for ${phone}')`);
  };
  const messaging = clientOf({ baseUrl: 'https://a.test/api' }, { middleware: [careless] });
  const error = await rejection(messaging.templates.list());

  expect(error).toMatchObject({ name: 'MiddlewareError', cause: { name: 'RangeError' } });
  expect(String(error)).toContain('no room for');
  expect(String(error)).not.toContain(phone);
});
