import { inspect } from 'node:util';
import { ConnectionError, type Middleware, MiddlewareError, TimeoutError } from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { settle, until } from '../waiting.js';
import { type Behaviour, faults, inTurn, reply } from './support/behaviours.js';
import { everyCall } from './support/calls.js';
import { manualClock } from './support/clocks.js';
import { apiKey, contact, send } from './support/samples.js';
import { type Call, failure, rejection, sendOne, startClient } from './support/service.js';

const sent = { success: true };
const accepted = reply(200, sent);
const canned = (status: number, body: unknown = {}) => ({
  status,
  headers: new Headers(),
  body: JSON.stringify(body),
});

/** A client with middleware, of a service that responds as the test says. */
const through = (behave: Behaviour, ...middleware: readonly Middleware[]) =>
  startClient(behave, { middleware });

/** What a call through a middleware rejects with, and the requests that arrived. */
const failureThrough = (middleware: Middleware, behave = accepted, call: Call = sendOne) =>
  failure(behave, call, { middleware: [middleware] });

describe('a middleware', () => {
  test('stands around the request, the first one outermost, and is run for each attempt', async () => {
    const steps: string[] = [];
    const named =
      (name: string): Middleware =>
      async (request, next) => {
        steps.push(`${name} in ${request.attempt}`);
        const response = await next(request);
        steps.push(`${name} out ${response.status}`);
        return response;
      };
    const behave = inTurn(reply(503), reply(200, []));
    const { messaging } = await through(behave, named('outer'), named('inner'));
    await messaging.templates.list();

    expect(steps).toEqual([
      ...['outer in 1', 'inner in 1', 'inner out 503', 'outer out 503'],
      ...['outer in 2', 'inner in 2', 'inner out 200', 'outer out 200'],
    ]);
  });

  test('sees the request without the key, and the response', async () => {
    const seen: unknown[] = [];
    const look: Middleware = async (request, next) => {
      const response = await next(request);
      seen.push(request, response.status, response.headers.get('x-request-id'), JSON.parse(response.body));
      return response;
    };
    const { messaging, baseUrl } = await startClient(reply(200, contact, { 'x-request-id': 'r1' }), {
      middleware: [look],
      headers: { 'X-Team': 'blue' },
    });
    await messaging.contacts.update('c1', { properties: {} });

    expect(seen).toEqual([
      {
        operation: 'contacts.update',
        method: 'PUT',
        urlTemplate: '/v1/contacts/:id',
        url: `${baseUrl}/v1/contacts/c1`,
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          'user-agent': expect.stringContaining('messaging-automation/'),
          'x-team': 'blue',
        },
        body: '{"properties":{}}',
        attempt: 1,
        signal: expect.any(AbortSignal),
      },
      200,
      'r1',
      contact,
    ]);
    expect(inspect(seen, { depth: null, showHidden: true })).not.toContain(apiKey);
  });
});

describe('headers', () => {
  test('may be added, changed and taken away, except those of the client, and the next middleware sees them so', async () => {
    const seen: unknown[] = [];
    const change: Middleware = (request, next) => {
      const { 'x-old': _, accept: __, ...others } = request.headers;
      return next({ ...request, headers: { ...others, Traceparent: '00-a-b-01', 'x-team': 'red' } });
    };
    const look: Middleware = (request, next) => {
      seen.push(request.headers);
      return next(request);
    };
    const headers = { 'x-old': '1', 'x-team': 'blue' };
    const { messaging, requests } = await startClient(reply(200, []), {
      middleware: [change, look],
      headers,
    });
    await messaging.templates.list();

    const changed = { accept: 'application/json', traceparent: '00-a-b-01', 'x-team': 'red' };
    expect(seen).toEqual([{ ...changed, 'user-agent': expect.stringContaining('messaging-automation/') }]);
    expect(requests[0]?.headers).toMatchObject({ ...changed, authorization: `Bearer ${apiKey}` });
    expect(requests[0]?.headers).not.toHaveProperty('x-old');
  });

  test.each([
    ['headers.authorization is set by the client', { authorization: 'Bearer mine' }],
    ['headers.accept is set by the client', { accept: 'text/html' }],
    ['headers.a b is not the name of an HTTP header', { 'a b': 'c' }],
    ['headers.x-a must be a string without line breaks', { 'x-a': 'b\nc: d' }],
  ])('are refused where %s', async (problem, headers) => {
    const { error, requests } = await failureThrough((request, next) =>
      next({ ...request, headers: { ...request.headers, ...headers } }),
    );

    expect(error).toBeInstanceOf(MiddlewareError);
    expect(String(error).toLowerCase()).toContain(problem.toLowerCase());
    expect(requests).toHaveLength(0);
  });
});

describe('the rules', () => {
  test.each([
    ['url', { url: 'https://elsewhere.test/' }],
    ['method', { method: 'DELETE' as const }],
    ['body', { body: '{}' }],
    ['signal', { signal: new AbortController().signal }],
  ])('let no middleware change the %s', async (name, change) => {
    const { error, requests } = await failureThrough((request, next) => next({ ...request, ...change }));

    expect(error).toMatchObject({ name: 'MiddlewareError', outcome: 'not_sent', retryable: false });
    expect(String(error)).toContain(`Middleware changed ${name}; only headers may change`);
    expect(requests).toHaveLength(0);
  });

  test.for(Object.entries(everyCall))('let no middleware make %s twice', async ([, call]) => {
    const twice: Middleware = async (request, next) => {
      await next(request);
      return next(request);
    };
    const { error, requests } = await failureThrough(twice, reply(500), call);

    expect(error).toMatchObject({ name: 'MiddlewareError', outcome: 'unknown', attempts: 1 });
    expect(String(error)).toContain('next was called twice');
    expect(requests).toHaveLength(1);
  });

  test('let no middleware send once it has responded', async () => {
    let late: Promise<unknown> = Promise.resolve();
    const { messaging, requests } = await through(accepted, (request, next) => {
      late = new Promise(setImmediate).then(() => next(request));
      return canned(200, sent);
    });
    await messaging.transactional.send(send);

    expect(String(await rejection(late))).toContain('after the middleware had responded');
    expect(requests).toHaveLength(0);
  });

  test.each([undefined, 'ok', {}, { status: 200, headers: {}, body: '' }, new Response('[]')])(
    'ask for a response: %o is none',
    async (response) => {
      const { error } = await failureThrough(() => JSON.parse('{}').nothing ?? response);

      expect(error).toBeInstanceOf(MiddlewareError);
      expect(String(error)).toContain('return what next returns');
    },
  );
});

describe('the outcome is that of the request', () => {
  test('when a middleware throws before it is sent', async () => {
    const { error, requests } = await failureThrough(() => {
      throw new Error('Not today.');
    });

    expect(error).toMatchObject({ outcome: 'not_sent', retryable: false, attempts: 1 });
    expect(String(error)).toBe(
      'MiddlewareError: transactional.send failed in a middleware (Not today.). Nothing was sent.',
    );
    expect(requests).toHaveLength(0);
  });

  test.each([
    ['it was carried out', accepted, 'unknown'],
    ['it was rejected', reply(402), 'rejected'],
    ['the service failed', reply(503), 'unknown'],
    ['the response was lost', faults.reset, 'unknown'],
  ])('when a middleware throws after %s', async (_, behave, outcome) => {
    const throwAfter: Middleware = async (request, next) => {
      await next(request).catch(() => {});
      throw new Error('Oops.');
    };
    const { error, requests } = await failureThrough(throwAfter, behave);

    expect(error).toMatchObject({ name: 'MiddlewareError', outcome, retryable: false, attempts: 1 });
    expect(requests).toHaveLength(1);
  });

  test('when a middleware makes a failure of a success: a send is not repeated', async () => {
    const { error, requests } = await failureThrough(async (request, next) => {
      await next(request);
      return canned(503);
    });

    expect(error).toMatchObject({ name: 'ServerError', outcome: 'unknown', retryable: false });
    expect(requests).toHaveLength(1);
  });

  test('when a middleware responds for a service that was never asked: a send may be repeated', async () => {
    const { messaging, requests } = await through(accepted, (request, next) =>
      request.attempt < 3 ? canned(503) : next(request),
    );
    const { attempts } = await messaging.transactional.send(send).withResponse();
    const error = await rejection(messaging.transactional.send(send, { retries: 1 }));

    expect(attempts).toBe(3);
    expect(error).toMatchObject({ name: 'ServerError', outcome: 'not_sent', retryable: true });
    expect(requests).toHaveLength(1);
  });
});

describe('a lost connection', () => {
  test('comes out of next as the error that the call would throw, and has its effect when thrown on', async () => {
    const seen: unknown[] = [];
    const look: Middleware = (request, next) =>
      next(request).catch((error: unknown) => {
        seen.push(error);
        throw error;
      });
    const { messaging } = await through(inTurn(faults.reset, reply(200, [])), look, look);
    const { attempts } = await messaging.templates.list().withResponse();

    expect(attempts).toBe(2);
    expect(seen).toHaveLength(2);
    expect(seen[0]).toBeInstanceOf(ConnectionError);
    expect(seen[0]).toBe(seen[1]);
    expect(seen[0]).toMatchObject({ operation: 'templates.list', outcome: 'unknown', attempts: 1 });
  });

  test('that nobody waits for brings nothing down', async () => {
    const { messaging } = await through(faults.reset, (request, next) => {
      void next(request);
      return canned(200, []);
    });

    expect(await messaging.templates.list()).toEqual([]);
  });
});

describe('deadline and signal', () => {
  test.each([
    ['before it sends', false, { outcome: 'not_sent', retryable: true }],
    ['after it sent', true, { outcome: 'unknown', retryable: false }],
  ])('hold for a middleware that hangs %s', async (_, sends, facts) => {
    const clock = manualClock();
    let hangs = false;
    const hang: Middleware = async (request, next) => {
      if (sends) await next(request);
      hangs = true;
      return new Promise(() => {});
    };
    const failed = failure(accepted, sendOne, { middleware: [hang], clock });
    await until('the middleware to hang', () => hangs);
    clock.advance(30_000);

    const { error } = await failed;
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject(facts);
  });

  test('reach the middleware as the reason of the caller, not as a lost connection', async () => {
    const controller = new AbortController();
    let seen: unknown;
    const { error } = await failureThrough(
      async (request, next) => {
        const response = next(request).catch((thrown: unknown) => {
          seen = thrown;
          throw thrown;
        });
        return response;
      },
      () => controller.abort('changed my mind'),
      ({ transactional }) => transactional.send(send, controller),
    );
    await settle();

    expect([error, seen]).toEqual(['changed my mind', 'changed my mind']);
  });

  test('reach the middleware, which can send nothing after', async () => {
    const controller = new AbortController();
    let late: Promise<unknown> = Promise.resolve();
    const { error, requests } = await failureThrough(
      (request, next) => {
        late = new Promise((resolve) => {
          request.signal.addEventListener('abort', resolve, { once: true });
        }).then(() => next(request));
        controller.abort('changed my mind');
        return new Promise(() => {});
      },
      accepted,
      ({ transactional }) => transactional.send(send, controller),
    );

    expect(error).toBe('changed my mind');
    expect(await rejection(late)).toBe('changed my mind');
    expect(requests).toHaveLength(0);
  });
});
