import { inspect } from 'node:util';
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConnectionError,
  MessagingAutomation,
  NotFoundError,
  NotSentError,
  PermissionError,
  QuotaExceededError,
  RateLimitError,
  RequestError,
  SendFailedError,
  ServerError,
  type Transport,
} from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { answer, apiKey, clientOf, phone, rejection, startService } from './support/service.js';

const html = '<!doctype html><title>Nothing here</title>';

/** What a send is rejected with when it is answered like this. */
async function errorOf(
  status: number,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
): Promise<ApiError> {
  const service = await startService(answer(status, body, headers));
  const send = { phone, templateId: 'order_update' };
  const error = await rejection(clientOf(service, { retries: 0 }).transactional.send(send));
  if (!(error instanceof ApiError)) throw error;
  return error;
}

describe('the class of an error', () => {
  test.each([
    [400, 'invalid_request', BadRequestError],
    [401, 'unauthorized', AuthenticationError],
    [402, 'quota_exceeded', QuotaExceededError],
    [402, 'payment_required', QuotaExceededError],
    [403, 'unauthorized', AuthenticationError],
    [403, 'forbidden', PermissionError],
    [404, 'not_found', NotFoundError],
    [404, 'contact_not_found', NotFoundError],
    [422, 'send_failed', SendFailedError],
    [422, 'template_paused', SendFailedError],
    [410, 'not_found', NotFoundError],
    [422, 'invalid_request', BadRequestError],
    [422, 'payload_too_large', BadRequestError],
    [422, 'unsupported_media_type', BadRequestError],
    [429, 'rate_limited', RateLimitError],
    [500, 'internal_error', ServerError],
    [503, 'unavailable', ServerError],
    [409, 'conflict', ApiError],
    [413, 'payload_too_large', ApiError],
  ])('for %i %s is found by its status, then by its code', async (status, code, errorClass) => {
    const error = await errorOf(status, { error: { code, message: 'No.' } });

    expect(error.constructor).toBe(errorClass);
    expect(error).toBeInstanceOf(RequestError);
    expect(error).toMatchObject({ name: errorClass.name, operation: 'transactional.send', status, code });
  });

  test('for a 422 where no send can have failed is that of a bad request', async () => {
    const service = await startService(answer(422));
    const error = await rejection(clientOf(service).contacts.upsert({ phone }));

    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).not.toBeInstanceOf(SendFailedError);
  });
});

test('an unknown template is not taken for an unknown contact', async () => {
  const { message } = await errorOf(404, { error: { code: 'template_not_found', message: 'No.' } });

  expect(message).toContain('templates.list');
  expect(message).not.toContain('contact');
});

describe('the body of an error', () => {
  const details = [{ field: 'phone', message: 'is required' }];

  test.each([
    [
      'the usual shape',
      { error: { code: 'c_1', message: 'No.', details } },
      { code: 'c_1', details },
      '"No. (phone is required)"',
    ],
    ['code and message', { code: 'c_1', message: 'No.' }, { code: 'c_1', details: [] }, '"No."'],
    ['a code', { error: 'c_1' }, { code: 'c_1' }, undefined],
    ['a code beside a message', { error: 'c_1', message: 'No.' }, { code: 'c_1' }, '"No."'],
    ['a sentence', { error: 'This went wrong.' }, { code: undefined }, '"This went wrong."'],
    ['text', 'No.', { code: undefined }, '"No."'],
    ['a JSON string', '"No."', { code: undefined }, '"No."'],
    [
      'details of another kind',
      { error: { code: 'c_1', details: [7, null, {}] } },
      { code: 'c_1', details: [] },
      undefined,
    ],
    ['a code that is none', { error: { code: 7, message: 7 } }, { code: undefined }, undefined],
    ['null', 'null', { code: undefined }, undefined],
    ['an error that is null', { error: null }, { code: undefined }, undefined],
    ['a number', '7', { code: undefined }, undefined],
    ['HTML', html, { code: undefined }, undefined],
    ['nothing', '', { code: undefined }, undefined],
  ])('may be %s', async (_, body, expected, quoted) => {
    const error = await errorOf(400, body);

    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject(expected);
    expect(error.message.match(/The service says: (.*)$/)?.[1]).toBe(quoted);
  });

  test('may hold any number of details: the first hundred are kept, ten are listed, all are counted', async () => {
    const many = Array.from({ length: 100_000 }, (_, index) => ({
      field: `properties.p${index}`,
      message: 'is unknown. '.repeat(index === 0 ? 500 : 1),
    }));
    const error = await errorOf(400, { error: { code: 'invalid_request', message: 'No.', details: many } });

    expect(error.details).toHaveLength(100);
    expect(error.details[0]?.message.length).toBeLessThan(310);
    expect(error.message).toContain('; and 99990 more)');
    expect(error.message.length).toBeLessThan(4_000);
  });

  test('is JSON whatever its content type says', async () => {
    const headers = { 'content-type': 'text/html' };
    const error = await errorOf(402, '{"error":{"code":"quota_exceeded"}}', headers);

    expect(error.code).toBe('quota_exceeded');
  });

  test('is there to be looked at, cleaned and cut, but not printed', async () => {
    const page = `<!doctype html><p>Bearer ${apiKey} may not call ${phone}.</p>`;
    const error = await errorOf(403, page.padEnd(20_000, 'x'));

    expect(error.body).toContain('<!doctype html><p>Bearer *** may not call +');
    expect(error.body).not.toContain('2071838750');
    expect(error.body.length).toBeLessThanOrEqual(4_001);
    expect(inspect(error) + JSON.stringify(error)).not.toContain('doctype');
    expect((await errorOf(400)).body).toBe('');
  });

  test.each([
    ['the usual shape', { error: { code: 'send_failed', message: ` Not approved for ${phone}. ` } }],
    ['a code beside a message', { error: 'send_failed', message: `Not approved for ${phone}.` }],
    ['text', `Not approved for ${phone}.`],
  ])('tells in the words of the service why a send failed: %s', async (_, body) => {
    const error = await errorOf(422, body);

    expect(error).toBeInstanceOf(SendFailedError);
    expect(error.serviceMessage).toMatch(/^Not approved for \+.*\.$/);
    expect(error.serviceMessage).not.toContain('2071838750');
    expect((await errorOf(422)).serviceMessage).toBeUndefined();
  });

  test('is cut short where it is long', async () => {
    const error = await errorOf(400, 'Lorem ipsum '.repeat(10_000));

    expect(error.message.length).toBeLessThan(500);
    expect(error.message).toContain('…');
  });
});

describe('the message of an error', () => {
  test('says what happened, to which operation, what to do and whom to ask', async () => {
    const body = { error: { code: 'quota_exceeded', message: 'Plan exhausted.' } };
    const error = await errorOf(402, body, { 'x-request-id': 'req_1' });

    expect(error.requestId).toBe('req_1');
    expect(error.message).toBe(
      'transactional.send was rejected with 402 quota_exceeded. ' +
        "The plan's conversation quota and add-on credits are exhausted. " +
        'Nothing was sent. Stop sending until there is quota again. ' +
        'The service says: "Plan exhausted." Request id: req_1.',
    );
  });

  const base = 'Check the base URL: it ends before /v1, as in https://messaging.example.com/api.';
  const key = 'Check the API key, and what it may do: apiKey, or MESSAGING_AUTOMATION_API_KEY.';
  const again = 'It may or may not have been carried out; making the call again is safe.';
  const doubtful = 'It may have been carried out all the same: find out before making the call again.';
  const slowDown = 'Slow down, and retry after the time in Retry-After.';
  const unsaid = `The answer says nothing, so the address may be wrong. ${base}`;
  const create = 'Create the contact first, with contacts.upsert.';

  test.each([
    ['send', 302, '', `was rejected with 302. A redirect is not followed. ${base} ${doubtful}`],
    ['send', 307, '', `was rejected with 307. A redirect is not followed. ${base}`],
    [
      'send',
      400,
      'invalid_request',
      'was rejected with 400 invalid_request. A field is missing, unknown or wrong. Correct the request before making it again.',
    ],
    ['send', 400, '', 'was rejected with 400. Correct the request before making it again.'],
    ['send', 401, '', `was rejected with 401. The API key is missing or not valid. ${key}`],
    [
      'send',
      402,
      '',
      "was rejected with 402. The plan's conversation quota and add-on credits are exhausted. Nothing was sent. Stop sending until there is quota again.",
    ],
    ['send', 403, 'forbidden', `was rejected with 403 forbidden. ${key}`],
    [
      'send',
      404,
      'template_not_found',
      'was rejected with 404 template_not_found. Check the template id: templates.list returns the existing ids.',
    ],
    ['send', 404, 'contact_not_found', `was rejected with 404 contact_not_found. ${create}`],
    ['send', 404, 'not_found', `was rejected with 404 not_found. No contact has the given phone. ${create}`],
    ['send', 404, '', `was rejected with 404. No contact has the given phone. ${create} ${unsaid}`],
    ['update', 404, 'not_found', 'was rejected with 404 not_found. No contact has this id. Check the id.'],
    ['upsert', 404, 'not_found', 'was rejected with 404 not_found.'],
    ['upsert', 404, '', `was rejected with 404. ${unsaid}`],
    ['send', 405, '', `was rejected with 405. ${base}`],
    ['send', 408, '', `was rejected with 408. ${doubtful}`],
    ['update', 408, '', `was rejected with 408. ${again}`],
    ['send', 409, 'conflict', 'was rejected with 409 conflict.'],
    ['send', 410, '', `was rejected with 410. ${create}`],
    ['update', 410, '', 'was rejected with 410. Check the id.'],
    ['upsert', 410, '', 'was rejected with 410.'],
    ['send', 413, '', 'was rejected with 413. The body is larger than the service takes.'],
    ['send', 415, '', 'was rejected with 415. The body is not application/json.'],
    [
      'send',
      422,
      '',
      'was rejected with 422. The provider rejected the send: template not approved, bad variables, or provider issue. Correct it before making the call again.',
    ],
    [
      'send',
      422,
      'invalid_number',
      'was rejected with 422 invalid_number. Correct it before making the call again.',
    ],
    ['update', 422, '', 'was rejected with 422. Correct it before making the call again.'],
    [
      'send',
      429,
      '',
      `was rejected with 429. Too many requests; Retry-After says when to come back. ${slowDown}`,
    ],
    ['send', 500, 'internal_error', `failed with 500 internal_error. The service failed. ${doubtful}`],
    ['update', 500, 'internal_error', `failed with 500 internal_error. The service failed. ${again}`],
    ['update', 501, '', `failed with 501. ${doubtful}`],
    ['update', 505, '', `failed with 505. ${doubtful}`],
    ['send', 503, '', `failed with 503. ${doubtful}`],
  ] as const)('of %s, for %i %s', async (method, status, code, expected) => {
    const service = await startService(answer(status, code === '' ? '' : { error: { code } }));
    const { contacts, transactional } = clientOf(service, { retries: 0 });
    const calls = {
      send: () => transactional.send({ phone, templateId: 't' }),
      update: () => contacts.update('c1', { properties: {} }),
      upsert: () => contacts.upsert({ phone }),
    };
    const operation = method === 'send' ? 'transactional.send' : `contacts.${method}`;

    expect(await rejection(calls[method]())).toHaveProperty('message', `${operation} ${expected}`);
  });

  test('warns against repeating what may have been done', async () => {
    expect((await errorOf(500)).message).toContain('find out before making the call again');
  });

  test('tells a missing contact from a wrong address', async () => {
    expect((await errorOf(404, { code: 'not_found' })).message).toContain('contacts.upsert');
    expect((await errorOf(404, html)).message).toContain('Check the base URL');
    expect((await errorOf(404, { error: { code: 'unknown_path' } })).message).toContain('Check the base URL');
    expect((await errorOf(405)).message).toContain('Check the base URL');
    expect((await errorOf(302, '', { location: '/login' })).message).toContain('A redirect is not followed');
  });

  test('is not all there is: the headers of the answer can be looked at, without cookies and keys', async () => {
    const error = await errorOf(429, '', {
      'Retry-After': '7',
      'X-RateLimit-Reset': '1763779435',
      'Set-Cookie': 'session=abc',
      'WWW-Authenticate': `Bearer ${apiKey}`,
      'X-Long': 'x'.repeat(5_000),
    });

    expect(error.headers).toMatchObject({ 'retry-after': '7', 'www-authenticate': 'Bearer ***' });
    expect(error.headers).not.toHaveProperty('set-cookie');
    expect(error.headers['x-long']?.length).toBeLessThan(1_010);
    expect(JSON.stringify(error)).not.toContain('x-long');
  });

  test('takes the request id from either header', async () => {
    expect((await errorOf(400, '', { 'request-id': 'req_2' })).requestId).toBe('req_2');
    expect((await errorOf(400)).requestId).toBeUndefined();
  });
});

describe('a connection that fails', () => {
  /** What the client makes of what fetch throws. */
  function errorAfter(thrown: unknown, attempts = 1): Promise<unknown> {
    const fetch = () => Promise.reject(thrown);
    const messaging = new MessagingAutomation({
      apiKey,
      baseUrl: 'https://a.test/api',
      fetch,
      retries: attempts - 1,
    });
    return rejection(messaging.transactional.send({ phone, templateId: 't' }));
  }
  const fetchFailed = (cause: unknown) => new TypeError('fetch failed', { cause });
  const withCode = (code: string, more = {}) => Object.assign(new Error(`it was ${code}`), { code, ...more });

  test.each([
    ['ECONNREFUSED', withCode('ECONNREFUSED')],
    ['ENOTFOUND', withCode('ENOTFOUND')],
    ['EAI_AGAIN', withCode('EAI_AGAIN')],
    ['UND_ERR_CONNECT_TIMEOUT', withCode('UND_ERR_CONNECT_TIMEOUT')],
    ['EHOSTUNREACH', withCode('EHOSTUNREACH', { syscall: 'connect' })],
    [
      'ETIMEDOUT',
      Object.assign(new AggregateError([withCode('ETIMEDOUT', { syscall: 'connect' })]), {
        code: 'ETIMEDOUT',
      }),
    ],
  ])('before it stood, with %s, was not sent', async (code, cause) => {
    const error = await errorAfter(fetchFailed(cause));

    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ outcome: 'not_sent', retryable: true, code });
    expect(String(error)).toContain('could not reach the service');
  });

  test('before it stood is known by its message in Deno', async () => {
    const cause = new Error(
      'error sending request for url (https://a.test/): client error (Connect): dns error',
    );

    expect(await errorAfter(fetchFailed(cause))).toMatchObject({ outcome: 'not_sent', code: undefined });
  });

  test.each([
    ['with ECONNRESET', fetchFailed(withCode('ECONNRESET', { syscall: 'read' })), 'ECONNRESET'],
    [
      'with EHOSTUNREACH while reading',
      fetchFailed(withCode('EHOSTUNREACH', { syscall: 'read' })),
      'EHOSTUNREACH',
    ],
    [
      'with one address that was reached',
      fetchFailed(new AggregateError([withCode('ECONNREFUSED'), withCode('EPIPE')])),
      undefined,
    ],
    ['without a cause', new TypeError('terminated'), undefined],
    ['with no error at all', 'what?', undefined],
  ])('%s may have been carried out', async (_, thrown, code) => {
    const error = await errorAfter(thrown);

    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ outcome: 'unknown', retryable: false, code });
    expect(error).toHaveProperty('cause.message');
  });

  test.each([
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'ERR_SSL_PACKET_LENGTH_TOO_LONG',
    'ERR_SSL_UNSUPPORTED_PROTOCOL',
    'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
    'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE',
  ])('for its TLS, with %s, was not sent, and is not tried again', async (code) => {
    const error = await errorAfter(fetchFailed(withCode(code)), 3);

    expect(error).toMatchObject({ outcome: 'not_sent', retryable: false, attempts: 1, code });
  });

  test.each(['MY_CERT_PROBLEM', 'AN_UNABLE_TO_DO'])('with %s is not known to be refused', async (code) => {
    expect(await errorAfter(fetchFailed(withCode(code)))).toMatchObject({ outcome: 'unknown', code });
  });

  test.each([
    [
      fetchFailed(withCode('ECONNREFUSED')),
      'transactional.send could not reach the service (ECONNREFUSED). Nothing was sent. Check the base URL and the network.',
    ],
    [
      fetchFailed(withCode('CERT_HAS_EXPIRED')),
      "transactional.send could not reach the service (CERT_HAS_EXPIRED). Nothing was sent. The server's certificate was not accepted: check the base URL and the certificates this machine trusts.",
    ],
    [
      fetchFailed(withCode('ECONNRESET')),
      'transactional.send lost its connection to the service (ECONNRESET). It may have been carried out all the same: find out before making the call again.',
    ],
    [
      fetchFailed(new Error('no code')),
      'transactional.send lost its connection to the service. It may have been carried out all the same: find out before making the call again.',
    ],
  ])('says what happened and what to do: %s', async (thrown, message) => {
    expect(await errorAfter(thrown)).toHaveProperty('message', message);
  });

  test('keeps the code that is nearest to the cause, and the message of the cause', async () => {
    const inner = withCode('EPIPE', { cause: new Error('the innermost') });
    const error = await errorAfter(Object.assign(fetchFailed(inner), { code: 'OUTER' }));

    expect(error).toMatchObject({ code: 'EPIPE', cause: { message: 'the innermost', code: 'EPIPE' } });
    expect(await errorAfter(withCode('EPIPE'))).toMatchObject({ code: 'EPIPE' });
  });

  test.each([
    ['no message', new Error('')],
    ['a message that is none', { message: 7 }],
    ['no error at all', 'what?'],
    ['nothing', undefined],
  ])('has a cause of its own where there is %s', async (_, thrown) => {
    const error = await errorAfter(thrown);

    if (!(error instanceof ConnectionError)) throw error;
    expect(error.code).toBeUndefined();
    expect(error.cause).toEqual(new Error('The connection failed.'));
    expect(error.cause).not.toHaveProperty('code');
  });

  test.each([7, '', 'E BAD', ' EPIPE', 'EPIPE!', null])('has no code where that is %j', async (code) => {
    const error = await errorAfter(Object.assign(new Error('it broke'), { code }));

    expect(error).toMatchObject({ code: undefined, outcome: 'unknown' });
  });

  test('is looked into five errors deep, and no further', async () => {
    const nested = (depth: number): Error =>
      depth === 1 ? withCode('ECONNREFUSED') : new Error(`${depth}`, { cause: nested(depth - 1) });
    const endless = Object.assign(new Error('round and round'), { cause: {} });
    endless.cause = endless;

    expect(await errorAfter(nested(5))).toMatchObject({ outcome: 'not_sent' });
    expect(await errorAfter(nested(6))).toMatchObject({ outcome: 'unknown', code: undefined });
    expect(await errorAfter(endless)).toMatchObject({ outcome: 'unknown' });
  });

  test('to no address at all is judged by its own code', async () => {
    const nowhere = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
    const somewhere = Object.assign(new AggregateError([]), { code: 'EPIPE' });

    expect(await errorAfter(nowhere)).toMatchObject({ outcome: 'not_sent' });
    expect(await errorAfter(somewhere)).toMatchObject({ outcome: 'unknown' });
  });

  test.each([
    ['rejects with a NotSentError', { exchange: () => Promise.reject(new NotSentError('queue full')) }],
    [
      'announces its sending, and has not begun',
      { announcesSending: true, exchange: () => Promise.reject(new Error('queue full')) },
    ],
  ] satisfies [string, Transport][])('of a transport that %s was not sent', async (_, transport) => {
    const messaging = new MessagingAutomation({
      apiKey,
      baseUrl: 'https://a.test/api',
      transport,
      retries: 0,
    });
    const error = await rejection(messaging.transactional.send({ phone, templateId: 't' }));

    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not_sent', retryable: true });
  });

  test('for its certificate was not sent, and is not tried again', async () => {
    const error = await errorAfter(fetchFailed(withCode('DEPTH_ZERO_SELF_SIGNED_CERT')), 3);

    expect(error).toMatchObject({ outcome: 'not_sent', retryable: false, attempts: 1 });
    expect(String(error)).toContain('certificate');
  });
});
