import { type CustomRequest, InvalidInputError, NotFoundError } from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { eagerClock } from './support/clocks.js';
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

describe('a request that the table does not know', () => {
  test('arrives as it is given, with its values encoded, and gives the JSON of the answer', async () => {
    const service = await startService(answer(200, { events: [1, 2] }));
    const given = await clientOf(service).request({
      method: 'PATCH',
      path: '/v2/contacts/:id/events',
      params: { id: 'a b' },
      query: { phone, 'a&b': '1' },
      body: { limit: 10 },
    });

    expect(given).toEqual({ events: [1, 2] });
    expect(service.requests).toEqual([
      expect.objectContaining({
        method: 'PATCH',
        url: '/api/v2/contacts/a%20b/events?phone=%2B442071838750&a%26b=1',
        body: '{"limit":10}',
        headers: expect.objectContaining({
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/json',
        }),
      }),
    ]);
  });

  test('leaves out of its query what is undefined', async () => {
    const service = await startService(answer(200, {}));
    const messaging = clientOf(service);
    const list = (query: CustomRequest['query']) =>
      messaging.request({ method: 'GET', path: '/v1/x', query });
    await list({ limit: '10', cursor: undefined });
    await list({ cursor: undefined });
    await list({ cursor: '' });

    expect(service.requests.map(({ url }) => url)).toEqual([
      '/api/v1/x?limit=10',
      '/api/v1/x',
      '/api/v1/x?cursor=',
    ]);
  });

  test.each([
    ['a list', '[1]', [1]],
    ['a string', '"x"', 'x'],
    ['null', 'null', null],
    ['nothing', '', undefined],
  ])('gives %s', async (_, body, expected) => {
    const service = await startService(answer(200, body));

    expect(await clientOf(service).request({ method: 'GET', path: '/v1/x' })).toEqual(expected);
  });

  test('gives the response as well', async () => {
    const service = await startService(answer(202, {}, { 'x-request-id': 'r1' }));
    const { response, requestId } = await clientOf(service)
      .request({ method: 'GET', path: '/v1/x' })
      .withResponse();

    expect([response.status, requestId]).toEqual([202, 'r1']);
  });

  test('fails with the errors of every call, which name it', async () => {
    const service = await startService(
      answer(404, { error: { code: 'not_found', message: `none: ${phone}` } }),
    );
    const error = await rejection(
      clientOf(service).request({ method: 'GET', path: '/v1/x/:id', params: { id: '7' } }),
    );

    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ operation: 'GET /v1/x/:id', outcome: 'rejected' });
    expect(String(error)).not.toContain(phone);
  });

  test('cannot use an answer that is no JSON', async () => {
    const service = await startService(answer(200, 'OK'));
    const error = await rejection(clientOf(service).request({ method: 'POST', path: '/v1/x' }));

    expect(error).toMatchObject({ name: 'UnusableResponseError', outcome: 'unknown', attempts: 1 });
  });

  test.each<[CustomRequest, number]>([
    [{ method: 'GET', path: '/v1/x' }, 3],
    [{ method: 'PUT', path: '/v1/x' }, 3],
    [{ method: 'DELETE', path: '/v1/x' }, 3],
    [{ method: 'POST', path: '/v1/x' }, 1],
    [{ method: 'PATCH', path: '/v1/x' }, 1],
    [{ method: 'POST', path: '/v1/x', repeatable: true }, 3],
    [{ method: 'PUT', path: '/v1/x', repeatable: false }, 1],
  ])('%j is made again after a lost answer only where that is safe', async (request, arrivals) => {
    const service = await startService(faults.reset);
    await rejection(clientOf(service, { clock: eagerClock() }).request(request));

    expect(service.requests).toHaveLength(arrivals);
  });

  test('counts a DELETE as done whose answer was lost', async () => {
    const service = await startService(inTurn(faults.reset, answer(404, { error: { code: 'not_found' } })));

    expect(
      await clientOf(service, { clock: eagerClock() }).request({
        method: 'DELETE',
        path: '/v1/x/:id',
        params: { id: '1' },
      }),
    ).toBeUndefined();
  });
});

test.each<[string, object]>([
  ['method', { method: 'TRACE', path: '/v1/x' }],
  ['path', { method: 'GET', path: 'v1/x' }],
  ['path', { method: 'GET', path: '/v1/../x' }],
  ['path', { method: 'GET', path: '/v1/..' }],
  ['path', { method: 'GET', path: '/v1/./x' }],
  ['path', { method: 'GET', path: '//evil.test/x' }],
  ['path', { method: 'GET', path: '/v1/x?a=1' }],
  ['path', { method: 'GET', path: '/v1/x#a' }],
  ['path', { method: 'GET', path: '/v1/%2e%2e' }],
  ['path', { method: 'GET', path: `/v1/x/${apiKey}` }],
  ['params', { method: 'GET', path: '/v1/:id' }],
  ['id', { method: 'GET', path: '/v1/:id', params: { id: '..' } }],
  ['id', { method: 'GET', path: '/v1/:id', params: { id: 'a/b' } }],
  ['query.a', { method: 'GET', path: '/v1/x', query: { a: 1 } }],
  ['body', { method: 'POST', path: '/v1/x', body: 'text' }],
])('%s is refused in %j, and nothing is sent', async (field, request) => {
  const service = await startService(answer(200, {}));
  const error = await rejection(clientOf(service).request(untyped(request)));

  expect(error).toBeInstanceOf(InvalidInputError);
  expect(error).toMatchObject({ outcome: 'not_sent', problems: [expect.objectContaining({ field })] });
  expect(String(error)).not.toContain(apiKey);
  expect(service.requests).toHaveLength(0);
});

/** What a program without types may pass. */
function untyped(value: object): CustomRequest {
  return value as CustomRequest;
}
