import { inspect } from 'node:util';
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConnectionError,
  NotFoundError,
  NotSentError,
  PermissionError,
  QuotaExceededError,
  RateLimitError,
  RequestError,
  SendFailedError,
  ServerError,
} from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { reply } from './support/behaviours.js';
import { eagerClock } from './support/clocks.js';
import { apiKey, phone, send, unserved } from './support/samples.js';
import { type Call, clientOf, failure, rejection, sendOne } from './support/service.js';

/** What a send is rejected with when it gets a response like this. */
async function errorOf(
  status: number,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
): Promise<ApiError> {
  const { error } = await failure(reply(status, body, headers), sendOne, { retries: 0 });
  if (!(error instanceof ApiError)) throw error;
  return error;
}

describe('the class of an error', () => {
  test.each([
    [400, 'invalid_request', BadRequestError],
    [401, 'unauthorized', AuthenticationError],
    [402, 'quota_exceeded', QuotaExceededError],
    [403, 'unauthorized', AuthenticationError],
    [403, 'forbidden', PermissionError],
    [404, 'not_found', NotFoundError],
    [422, 'send_failed', SendFailedError],
    [410, 'not_found', NotFoundError],
    [422, 'invalid_request', BadRequestError],
    [429, 'rate_limited', RateLimitError],
    [500, 'internal_error', ServerError],
    [503, 'unavailable', ServerError],
    [409, 'conflict', ApiError],
  ])('for %i %s is found by its status, then by its code', async (status, code, errorClass) => {
    const error = await errorOf(status, { error: { code, message: 'No.' } });

    expect(error.constructor).toBe(errorClass);
    expect(error).toBeInstanceOf(RequestError);
    expect(error).toMatchObject({ name: errorClass.name, operation: 'transactional.send', status, code });
  });

  test('for a 422 where no send can have failed is that of a bad request', async () => {
    const { error } = await failure(reply(422), ({ contacts }) => contacts.upsert({ phone }));

    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).not.toBeInstanceOf(SendFailedError);
  });
});

describe('the body of an error', () => {
  const details = [{ field: 'phone', message: 'is required' }];
  const failed = { code: 'c_1', message: 'No.' };

  test.each<[string, unknown, string | undefined, string | undefined]>([
    ['the usual shape', { error: { ...failed, details } }, 'c_1', '"No. (phone is required)"'],
    ['code and message', failed, 'c_1', '"No."'],
    ['a code', { error: 'c_1' }, 'c_1', undefined],
    ['a code beside a message', { error: 'c_1', message: 'No.' }, 'c_1', '"No."'],
    ['a sentence', { error: 'This went wrong.' }, undefined, '"This went wrong."'],
    ['text', 'No.', undefined, '"No."'],
    ['a code that is none', { error: { code: 7, message: 7 } }, undefined, undefined],
    ['details that are none', { error: { ...failed, details: Array(12).fill('phone') } }, 'c_1', '"No."'],
    ['null', 'null', undefined, undefined],
    ['HTML', '<!doctype html><title>Nothing here</title>', undefined, undefined],
    ['nothing', '', undefined, undefined],
  ])('may be %s', async (title, body, code, quoted) => {
    const error = await errorOf(400, body);

    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ code, details: title === 'the usual shape' ? details : [] });
    expect(error.message.match(/The service says: (.*?) (?:A field is|Correct) /)?.[1]).toBe(quoted);
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

  test('is there to be looked at, cleaned and cut, but not printed', async () => {
    const page = `<!doctype html><p>Bearer ${apiKey} may not call ${phone}.</p>`;
    const error = await errorOf(403, page.padEnd(20_000, 'x'));

    expect(error.body).toContain('<!doctype html><p>Bearer *** may not call +');
    expect(error.body).not.toContain('2071838750');
    expect(error.body.length).toBeLessThanOrEqual(4_001);
    expect(inspect(error) + JSON.stringify(error)).not.toContain('doctype');
    expect((await errorOf(400)).body).toBe('');
  });

  test('tells in the words of the service why a send failed', async () => {
    const message = ` Not approved for ${phone}. `;
    const error = await errorOf(422, { error: { code: 'send_failed', message } });

    expect(error).toBeInstanceOf(SendFailedError);
    expect(error.serviceMessage).toMatch(/^Not approved for \+.*\.$/);
    expect(error.serviceMessage).not.toContain('2071838750');
    expect((await errorOf(422)).serviceMessage).toBeUndefined();
  });
});

describe('the message of an error', () => {
  test('says what happened, to which operation, what to do and whom to ask', async () => {
    const body = { error: { code: 'quota_exceeded', message: 'Plan exhausted.' } };
    const error = await errorOf(402, body, { 'x-request-id': 'req_1' });

    expect(error.requestId).toBe('req_1');
    expect(error.message).toBe(
      'transactional.send was rejected with 402 quota_exceeded. The service says: "Plan exhausted." ' +
        "The plan's conversation quota and add-on credits are exhausted. " +
        'Nothing was sent. Stop sending until there is quota again. Request id: req_1.',
    );
  });

  test('says once what the service says in the same words', async () => {
    const message = "The plan's conversation quota and add-on credits are exhausted.";
    const details = [{ field: 'phone', message: 'is not right' }];
    const said = async (error: object) => (await errorOf(402, { error })).message;

    expect(await said({ code: 'quota_exceeded', message })).toBe(
      `transactional.send was rejected with 402 quota_exceeded. ${message} Nothing was sent. Stop sending until there is quota again.`,
    );
    expect(await said({ code: 'quota_exceeded', message, details })).toContain('(phone is not right)');
  });

  const base = 'Check the base URL: it ends before /v1, as in https://messaging.example.com/api.';
  const key = 'Check the API key, and what it may do: apiKey, or MESSAGING_AUTOMATION_API_KEY.';
  const again = 'The service may have processed it. A retry is safe.';
  const doubtful = 'The service may have processed it. Check before you retry.';
  const slowDown = 'Slow down, and retry after the time in Retry-After.';
  const unsaid = `The response says nothing, so the address may be wrong. ${base}`;
  const create = 'Create the contact first, with contacts.upsert.';
  const correct = 'Correct the request before making it again.';
  const exhausted = "The plan's conversation quota and add-on credits are exhausted.";
  const provider = 'The provider rejected the send: template not approved, bad variables, or provider issue.';

  /** What stands behind the status and the code, by the operation, the status and the code. */
  const explanations = {
    'send 302': `A redirect is not followed. ${base} ${doubtful}`,
    'send 400 invalid_request': `A field is missing, unknown or wrong. ${correct}`,
    'send 400': correct,
    'send 401': `The API key is missing or not valid. ${key}`,
    'send 402': `${exhausted} Nothing was sent. Stop sending until there is quota again.`,
    'send 403 forbidden': key,
    'send 404 template_not_found': 'Check the template id: templates.list returns the existing ids.',
    'send 404 not_found': `No contact has the given phone. ${create}`,
    'send 404 unknown_path': `The response is not the service's own. ${base}`,
    'send 404': `No contact has the given phone. ${create} ${unsaid}`,
    'update 404 not_found': 'No contact has this id. Check the id.',
    'upsert 404': unsaid,
    'send 405': base,
    'send 408': doubtful,
    'update 408': again,
    'send 410': create,
    'send 413': 'The body is larger than the service takes.',
    'send 415': 'The body is not application/json.',
    'send 422': `${provider} Correct it before making the call again.`,
    'send 422 invalid_number': 'Correct it before making the call again.',
    'send 429': `Too many requests; Retry-After says when to come back. ${slowDown}`,
    'send 500 internal_error': `The service failed. ${doubtful}`,
    'update 500 internal_error': `The service failed. ${again}`,
    'update 501': doubtful,
    'send 503': doubtful,
  };

  const calls: Readonly<Record<string, Call>> = {
    send: sendOne,
    update: ({ contacts }) => contacts.update('c1', { properties: {} }),
    upsert: ({ contacts }) => contacts.upsert({ phone }),
  };

  test.each(Object.entries(explanations))('explains %s', async (title, explanation) => {
    const [verb = '', status = '', code] = title.split(' ');
    const body = code === undefined ? '' : { error: { code } };
    const { error } = await failure(reply(Number(status), body), calls[verb], { retries: 0 });
    const operation = verb === 'send' ? 'transactional.send' : `contacts.${verb}`;
    const ended = status >= '500' ? 'failed' : 'was rejected';
    const message = `${operation} ${ended} with ${title.slice(verb.length + 1)}. ${explanation}`;

    expect(error).toHaveProperty('message', message.trim());
  });

  test('is not all there is: the headers of the response can be looked at, without cookies and keys', async () => {
    const error = await errorOf(429, '', {
      'Retry-After': 'Wed, 31 Dec 2025 23:59:00 GMT',
      'X-RateLimit-Reset': '1763779435',
      'Set-Cookie': 'session=abc',
      'WWW-Authenticate': `Bearer ${apiKey}`,
      'X-Long': 'x'.repeat(5_000),
    });

    expect(error).toMatchObject({
      retryAfter: 0,
      headers: { 'www-authenticate': 'Bearer ***', 'retry-after': expect.stringContaining('2025') },
    });
    expect(error.headers).not.toHaveProperty('set-cookie');
    expect(error.headers['x-long']?.length).toBeLessThan(1_010);
    expect(JSON.stringify(error)).not.toContain('x-long');
  });
});

describe('a connection that fails', () => {
  /** What a send is rejected with when fetch throws this each time. */
  const errorAfter = (thrown: unknown) =>
    rejection(sendOne(clientOf(unserved, { fetch: () => Promise.reject(thrown), clock: eagerClock() })));
  const fetchFailed = (cause: unknown) => new TypeError('fetch failed', { cause });
  const withCode = (code: unknown, more = {}) =>
    Object.assign(new Error(`it was ${code}`), { code, ...more });
  const several = (...errors: Error[]) => new AggregateError(errors);
  const connecting = { syscall: 'connect' };
  const reading = { syscall: 'read' };

  const unsent = { outcome: 'not_sent', retryable: true, attempts: 3, code: undefined };
  const insecure = { outcome: 'not_sent', retryable: false, attempts: 1 };
  const doubtful = { outcome: 'unknown', retryable: false, attempts: 1, code: undefined };
  type Row = [title: string, thrown: unknown, facts: object];

  /** Rows for errors that have a code, below that of fetch. */
  const byCode = (facts: object, codes: readonly string[], more = {}): Row[] =>
    codes.map((code) => [code, fetchFailed(withCode(code, more)), { ...facts, code }]);
  const anyAddress = Object.assign(several(withCode('ETIMEDOUT', connecting)), { code: 'ETIMEDOUT' });
  const ofDeno = new Error('error sending request: client error (Connect): dns error');

  test.each<Row>([
    ...byCode(unsent, ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']),
    ...byCode(unsent, ['EHOSTUNREACH'], connecting),
    ['ETIMEDOUT of every address', fetchFailed(anyAddress), { ...unsent, code: 'ETIMEDOUT' }],
    ['the message of Deno', fetchFailed(ofDeno), unsent],
    ...byCode(insecure, [
      'ERR_SSL_WRONG_VERSION_NUMBER',
      'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
      'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
    ]),
    ...byCode(doubtful, ['ECONNRESET', 'EHOSTUNREACH'], reading),
    // They only resemble those of a certificate.
    ...byCode(doubtful, ['MY_CERT_PROBLEM', 'AN_UNABLE_TO_DO']),
    [
      'one of several addresses that was reached',
      fetchFailed(several(withCode('ECONNREFUSED'), withCode('EPIPE'))),
      doubtful,
    ],
    ['no cause', new TypeError('terminated'), doubtful],
    ...[7, '', 'E BAD', ' EPIPE', 'EPIPE!', null].map(
      (code): Row => [`the code ${JSON.stringify(code)}, which is none`, withCode(code), doubtful],
    ),
  ])('with %s has an outcome, and is tried again where nothing was sent', async (_, thrown, facts) => {
    const error = await errorAfter(thrown);

    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject(facts);
    expect(error).toHaveProperty('cause.message');
  });

  const unreached = 'transactional.send could not reach the service';
  const lost = 'transactional.send lost its connection to the service';
  const certificate =
    "The server's certificate was not accepted: check the base URL and the certificates this machine trusts.";
  const findOut = 'The service may have processed it. Check before you retry.';

  test.each([
    [
      'ECONNREFUSED',
      `${unreached} (ECONNREFUSED). Nothing was sent. Check the base URL, the network and the proxy, if there is one.`,
    ],
    ['CERT_HAS_EXPIRED', `${unreached} (CERT_HAS_EXPIRED). Nothing was sent. ${certificate}`],
    ['ECONNRESET', `${lost} (ECONNRESET). ${findOut}`],
    ['', `${lost}. ${findOut}`],
  ])('says what happened and what to do: %s', async (code, message) => {
    expect(await errorAfter(fetchFailed(withCode(code)))).toHaveProperty('message', message);
  });

  test.each([
    ['no message', new Error('')],
    ['no error at all', 'what?'],
    ['nothing', undefined],
  ])('has a cause of its own where there is %s', async (_, thrown) => {
    const error = await errorAfter(thrown);

    if (!(error instanceof ConnectionError)) throw error;
    expect(error).toMatchObject(doubtful);
    expect(error.cause).toEqual(new Error('The connection failed.'));
    expect(error.cause).not.toHaveProperty('code');
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

  test.each([
    ['rejects with a NotSentError', false, new NotSentError('queue full')],
    ['announces its sending, and has not begun', true, new Error('queue full')],
  ])('of a transport that %s was not sent', async (_, announcesSending, thrown) => {
    const transport = { announcesSending, exchange: () => Promise.reject(thrown) };
    const error = await rejection(clientOf(unserved, { transport, retries: 0 }).transactional.send(send));

    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not_sent', retryable: true });
  });
});
