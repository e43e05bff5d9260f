import { inspect } from 'node:util';
import {
  ConfigurationError,
  ConnectionError,
  type Middleware,
  MiddlewareError,
  type MiddlewareRequest,
  TimeoutError,
} from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { until } from '../waiting.js';
import { everyCall } from './support/calls.js';
import { eagerClock, manualClock } from './support/clocks.js';
import {
  answer,
  apiKey,
  clientOf,
  faults,
  inTurn,
  phone,
  rejection,
  startService,
} from './support/service.js';

const send = { phone, templateId: 'order_update' };
const sent = { success: true };
const contact = { id: 'c1', properties: { phone } };
const canned = (status: number, body: unknown = {}) => ({
  status,
  headers: new Headers(),
  body: JSON.stringify(body),
});

/** Passes everything on, and throws once it has come back. */
const throwAfter: Middleware = async (request, next) => {
  await next(request).catch(() => {});
  throw new Error('Oops.');
};

describe('a middleware', () => {
  test('stands around the request, the first one outermost', async () => {
    const service = await startService(answer(200, []));
    const steps: string[] = [];
    const named =
      (name: string): Middleware =>
      async (request, next) => {
        steps.push(`${name} in`);
        const response = await next(request);
        steps.push(`${name} out`);
        return response;
      };
    await clientOf(service, { middleware: [named('outer'), named('inner')] }).templates.list();

    expect(steps).toEqual(['outer in', 'inner in', 'inner out', 'outer out']);
  });

  test('sees the request without the key, and the answer', async () => {
    const service = await startService(answer(200, contact, { 'x-request-id': 'r1' }));
    const seen: unknown[] = [];
    const look: Middleware = async (request, next) => {
      const response = await next(request);
      seen.push(request, response.status, response.headers.get('x-request-id'), JSON.parse(response.body));
      return response;
    };
    const messaging = clientOf(service, { middleware: [look], headers: { 'X-Team': 'blue' } });
    await messaging.contacts.update('c1', { properties: {} });

    expect(seen).toEqual([
      {
        operation: 'contacts.update',
        method: 'PUT',
        urlTemplate: '/v1/contacts/:id',
        url: `${service.baseUrl}/v1/contacts/c1`,
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

  test('runs for each attempt', async () => {
    const service = await startService(inTurn(answer(503), faults.reset, answer(200, [])));
    const attempts: number[] = [];
    const count: Middleware = (request, next) => {
      attempts.push(request.attempt);
      return next(request);
    };
    await clientOf(service, { middleware: [count], clock: eagerClock() }).templates.list();

    expect(attempts).toEqual([1, 2, 3]);
  });

  test('may answer by itself, and then nothing is sent', async () => {
    const service = await startService(answer(500));
    const messaging = clientOf(service, { middleware: [() => canned(200, [{ id: 't1' }])] });

    expect(await messaging.templates.list()).toEqual([{ id: 't1' }]);
    expect(service.requests).toHaveLength(0);
  });

  test('may stand between the client and the 404 of a contact that is not there', async () => {
    const service = await startService(answer(404));

    expect(
      await clientOf(service, { middleware: [(request, next) => next(request)] }).contacts.find(phone),
    ).toBeNull();
  });
});

describe('headers', () => {
  const withHeaders =
    (headers: Readonly<Record<string, string>>): Middleware =>
    (request, next) =>
      next({ ...request, headers: { ...request.headers, ...headers } });

  test('may be added, changed and taken away, and the next middleware sees them so', async () => {
    const service = await startService(answer(200, []));
    const seen: MiddlewareRequest['headers'][] = [];
    const change: Middleware = (request, next) => {
      const { 'x-old': _, ...others } = request.headers;
      return next({ ...request, headers: { ...others, Traceparent: '00-a-b-01', 'x-team': 'red' } });
    };
    const look: Middleware = (request, next) => {
      seen.push(request.headers);
      return next(request);
    };
    const headers = { 'x-old': '1', 'x-team': 'blue' };
    await clientOf(service, { middleware: [change, look], headers }).templates.list();

    expect(seen).toEqual([
      {
        accept: 'application/json',
        'user-agent': expect.stringContaining('messaging-automation/'),
        traceparent: '00-a-b-01',
        'x-team': 'red',
      },
    ]);
    expect(service.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${apiKey}`,
      traceparent: '00-a-b-01',
      'x-team': 'red',
    });
    expect(service.requests[0]?.headers).not.toHaveProperty('x-old');
  });

  test('of the client stay, even when left out', async () => {
    const service = await startService(answer(200, sent));
    const leaveOut: Middleware = (request, next) => next({ ...request, headers: {} });
    await clientOf(service, { middleware: [leaveOut] }).transactional.send(send);

    expect(service.requests[0]?.headers).toMatchObject({
      accept: 'application/json',
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
    });
  });

  test.each([
    ['headers.authorization is set by the client', { authorization: 'Bearer mine' }],
    ['headers.Authorization is set by the client', { Authorization: 'Bearer mine' }],
    ['headers.accept is set by the client', { accept: 'text/html' }],
    ['headers.a b is not the name of an HTTP header', { 'a b': 'c' }],
    ['headers.x-a must be a string without line breaks', { 'x-a': 'b\nc: d' }],
  ])('are refused where %s', async (problem, headers) => {
    const service = await startService(answer(200, []));
    const error = await rejection(clientOf(service, { middleware: [withHeaders(headers)] }).templates.list());

    expect(error).toBeInstanceOf(MiddlewareError);
    expect(String(error).toLowerCase()).toContain(problem.toLowerCase());
    expect(service.requests).toHaveLength(0);
  });
});

describe('the rules', () => {
  test.each([
    ['url', { url: 'https://elsewhere.test/' }],
    ['method', { method: 'DELETE' as const }],
    ['body', { body: '{}' }],
    ['attempt', { attempt: 7 }],
    ['signal', { signal: new AbortController().signal }],
  ])('let no middleware change the %s', async (name, change) => {
    const service = await startService(answer(200, sent));
    const messaging = clientOf(service, { middleware: [(request, next) => next({ ...request, ...change })] });
    const error = await rejection(messaging.transactional.send(send));

    expect(error).toMatchObject({ name: 'MiddlewareError', outcome: 'not_sent', retryable: false });
    expect(String(error)).toContain(
      `next was given another ${name}; middleware may change the headers alone`,
    );
    expect(service.requests).toHaveLength(0);
  });

  test('ask for the request', async () => {
    const service = await startService(answer(200, []));
    const messaging = clientOf(service, { middleware: [(_, next) => Reflect.apply(next, undefined, [])] });

    expect(String(await rejection(messaging.templates.list()))).toContain('call next(request)');
  });

  test.for(Object.entries(everyCall))('let no middleware make %s twice', async ([, call]) => {
    const service = await startService(answer(500));
    const twice: Middleware = async (request, next) => {
      await next(request);
      return next(request);
    };
    const error = await rejection(call(clientOf(service, { middleware: [twice] })));

    expect(error).toMatchObject({ name: 'MiddlewareError', outcome: 'unknown', attempts: 1 });
    expect(String(error)).toContain('next was called twice');
    expect(service.requests).toHaveLength(1);
  });

  test('let no middleware send once it has answered', async () => {
    const service = await startService(answer(200, sent));
    let late: Promise<unknown> = Promise.resolve();
    const hasty: Middleware = (request, next) => {
      late = new Promise(setImmediate).then(() => next(request));
      return canned(200, sent);
    };
    await clientOf(service, { middleware: [hasty] }).transactional.send(send);

    expect(String(await rejection(late))).toContain('after the middleware had answered');
    expect(service.requests).toHaveLength(0);
  });

  test.each([undefined, 'ok', {}, { status: 200, headers: {}, body: '' }, new Response('[]')])(
    'ask for an answer: %o is none',
    async (response) => {
      const service = await startService(answer(200, []));
      const middleware = [() => JSON.parse('{}').nothing ?? response];
      const error = await rejection(clientOf(service, { middleware }).templates.list());

      expect(error).toBeInstanceOf(MiddlewareError);
      expect(String(error)).toContain('return what next returns');
    },
  );

  test.each([
    [{ middleware: {} }, 'middleware must be an array of functions.'],
    [{ middleware: [{}] }, 'middleware must be an array of functions.'],
  ])('are checked when the client is made: %o', async (options, message) => {
    const makeClient = () => Reflect.apply(clientOf, undefined, [{ baseUrl: 'https://a.test/api' }, options]);

    expect(makeClient).toThrow(ConfigurationError);
    expect(makeClient).toThrow(message);
  });
});

describe('the outcome is that of the request', () => {
  test('when a middleware throws before it is sent', async () => {
    const service = await startService(answer(200, sent));
    const veto: Middleware = () => {
      throw new Error('Not today.');
    };
    const error = await rejection(clientOf(service, { middleware: [veto] }).transactional.send(send));

    expect(error).toMatchObject({ outcome: 'not_sent', retryable: false, attempts: 1 });
    expect(String(error)).toBe(
      'MiddlewareError: transactional.send failed in a middleware (Not today.). Nothing was sent.',
    );
    expect(service.requests).toHaveLength(0);
  });

  test.each([
    ['it was carried out', answer(200, sent), 'unknown'],
    ['it was rejected', answer(402), 'rejected'],
    ['the service failed', answer(503), 'unknown'],
    ['the answer was lost', faults.reset, 'unknown'],
  ])('when a middleware throws after %s', async (_, behave, outcome) => {
    const service = await startService(behave);
    const error = await rejection(clientOf(service, { middleware: [throwAfter] }).transactional.send(send));

    expect(error).toMatchObject({ name: 'MiddlewareError', outcome, retryable: false, attempts: 1 });
    expect(service.requests).toHaveLength(1);
  });

  test('when a middleware makes a failure of a success: a send is not repeated', async () => {
    const service = await startService(answer(200, sent));
    const spoil: Middleware = async (request, next) => {
      await next(request);
      return canned(503);
    };
    const error = await rejection(clientOf(service, { middleware: [spoil] }).transactional.send(send));

    expect(error).toMatchObject({ name: 'ServerError', outcome: 'unknown', retryable: false });
    expect(service.requests).toHaveLength(1);
  });

  test('when a middleware answers for a service that was never asked: a send may be repeated', async () => {
    const service = await startService(answer(200, sent));
    const open: Middleware = (request, next) => (request.attempt < 3 ? canned(503) : next(request));
    const messaging = clientOf(service, { middleware: [open], clock: eagerClock() });
    const { attempts } = await messaging.transactional.send(send).withResponse();
    const error = await rejection(messaging.transactional.send(send, { retries: 1 }));

    expect(attempts).toBe(3);
    expect(error).toMatchObject({ name: 'ServerError', outcome: 'not_sent', retryable: true });
    expect(service.requests).toHaveLength(1);
  });

  test('when an earlier attempt is in doubt and the last was not sent', async () => {
    const service = await startService(answer(503));
    const once: Middleware = (request, next) => {
      if (request.attempt > 1) throw new Error('Enough.');
      return next(request);
    };
    const messaging = clientOf(service, { middleware: [once], clock: eagerClock() });

    expect(await rejection(messaging.templates.list())).toMatchObject({ outcome: 'unknown', attempts: 2 });
  });
});

describe('a lost connection', () => {
  test('comes out of next as the error that the call would throw, and has its effect when thrown on', async () => {
    const service = await startService(inTurn(faults.reset, answer(200, [])));
    const seen: unknown[] = [];
    const look: Middleware = async (request, next) => {
      try {
        return await next(request);
      } catch (error) {
        seen.push(error);
        throw error;
      }
    };
    const messaging = clientOf(service, { middleware: [look, look], clock: eagerClock() });
    const { attempts } = await messaging.templates.list().withResponse();

    expect(attempts).toBe(2);
    expect(seen).toHaveLength(2);
    expect(seen[0]).toBeInstanceOf(ConnectionError);
    expect(seen[0]).toBe(seen[1]);
    expect(seen[0]).toMatchObject({ operation: 'templates.list', outcome: 'unknown', attempts: 1 });
  });

  test('that nobody waits for brings nothing down', async () => {
    const service = await startService(faults.reset);
    const careless: Middleware = (request, next) => {
      void next(request);
      return canned(200, []);
    };

    expect(await clientOf(service, { middleware: [careless] }).templates.list()).toEqual([]);
  });
});

describe('deadline and signal', () => {
  test.each([
    ['before it sends', false, { outcome: 'not_sent', retryable: true }],
    ['after it sent', true, { outcome: 'unknown', retryable: false }],
  ])('hold for a middleware that hangs %s', async (_, sends, facts) => {
    const clock = manualClock();
    const service = await startService(answer(200, sent));
    let hangs = false;
    const hang: Middleware = async (request, next) => {
      if (sends) await next(request);
      hangs = true;
      return new Promise(() => {});
    };
    const failed = rejection(clientOf(service, { middleware: [hang], clock }).transactional.send(send));
    await until('the middleware to hang', () => hangs);
    clock.advance(30_000);

    expect(await failed).toBeInstanceOf(TimeoutError);
    expect(await failed).toMatchObject(facts);
  });

  test('reach the middleware, which can send nothing after', async () => {
    const service = await startService(answer(200, sent));
    const controller = new AbortController();
    let late: Promise<unknown> = Promise.resolve();
    let entered = false;
    const wait: Middleware = (request, next) => {
      entered = true;
      late = new Promise((resolve) => {
        request.signal.addEventListener('abort', resolve, { once: true });
      }).then(() => next(request));
      return new Promise(() => {});
    };
    const messaging = clientOf(service, { middleware: [wait] });
    const failed = rejection(messaging.transactional.send(send, { signal: controller.signal }));
    await until('the middleware to begin', () => entered);
    controller.abort('changed my mind');

    expect(await failed).toBe('changed my mind');
    expect(await rejection(late)).toBe('changed my mind');
    expect(service.requests).toHaveLength(0);
  });
});
