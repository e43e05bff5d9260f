import { type CustomRequest, InvalidInputError, NotFoundError } from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { faults, inTurn, reply } from './support/behaviours.js';
import { apiKey, phone } from './support/samples.js';
import { failure, startClient } from './support/service.js';

const get = { method: 'GET', path: '/v1/x' } as const;
const referringToItself: Record<string, unknown> = {};
referringToItself.again = referringToItself;

describe('a request that the table does not know', () => {
  test('arrives as it is given, with its values encoded, and gives the JSON of the response', async () => {
    const { messaging, requests } = await startClient(reply(200, { events: [1, 2] }));
    const given = await messaging.request({
      method: 'PATCH',
      path: '/v2/contacts/:id/events',
      params: { id: 'a b' },
      query: { phone, 'a&b': '1' },
      body: { limit: 10 },
    });

    expect(given).toEqual({ events: [1, 2] });
    expect(requests).toMatchObject([
      {
        method: 'PATCH',
        url: '/api/v2/contacts/a%20b/events?phone=%2B442071838750&a%26b=1',
        body: '{"limit":10}',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      },
    ]);
  });

  test.each<[CustomRequest['query'], string]>([
    [{ limit: '10', cursor: undefined }, '/api/v1/x?limit=10'],
    [{ cursor: undefined }, '/api/v1/x'],
    [{ cursor: '' }, '/api/v1/x?cursor='],
  ])('leaves out of its query what is undefined: %j', async (query, url) => {
    const { messaging, requests } = await startClient(reply(200, {}));
    await messaging.request({ ...get, query });

    expect(requests[0]?.url).toBe(url);
  });

  test.each([
    ['a list', '[1]', [1]],
    ['null', 'null', null],
    ['nothing', '', undefined],
  ])('gives %s, and the response', async (_, body, data) => {
    const { messaging } = await startClient(reply(202, body, { 'x-request-id': 'r1' }));
    const given = await messaging.request(get).withResponse();

    expect(given).toMatchObject({ data, response: { status: 202 }, requestId: 'r1' });
  });

  test('fails with the errors of every call, which name it', async () => {
    const { error } = await failure(
      reply(404, { error: { code: 'not_found', message: `none: ${phone}` } }),
      (messaging) => messaging.request({ method: 'GET', path: '/v1/x/:id', params: { id: '7' } }),
    );

    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ operation: 'GET /v1/x/:id', outcome: 'rejected' });
    expect(String(error)).not.toContain(phone);
  });

  test('cannot use a response that is no JSON', async () => {
    const { error } = await failure(reply(200, 'OK'), (messaging) =>
      messaging.request({ method: 'POST', path: '/v1/x' }),
    );

    expect(error).toMatchObject({ name: 'UnusableResponseError', outcome: 'unknown', attempts: 1 });
  });

  test.each<[Partial<CustomRequest>, number]>([
    [{ method: 'GET' }, 3],
    [{ method: 'PUT' }, 3],
    [{ method: 'POST' }, 1],
    [{ method: 'PATCH' }, 1],
    [{ method: 'POST', repeatable: true }, 3],
    [{ method: 'PUT', repeatable: false }, 1],
  ])('%j is made again after a lost response only where that is safe', async (request, arrivals) => {
    const { requests } = await failure(faults.reset, (messaging) =>
      messaging.request({ ...get, ...request }),
    );

    expect(requests).toHaveLength(arrivals);
  });

  test('counts a DELETE as done whose response was lost', async () => {
    const { messaging } = await startClient(inTurn(faults.reset, reply(404, { code: 'not_found' })));

    expect(await messaging.request({ method: 'DELETE', path: '/v1/x' })).toBeUndefined();
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
  ['path', { method: 'GET', path: '/v1/%2e%2e' }],
  ['path', { method: 'GET', path: `/v1/x/${apiKey}` }],
  ['params', { method: 'GET', path: '/v1/:id' }],
  ['id', { method: 'GET', path: '/v1/:id', params: { id: '..' } }],
  ['id', { method: 'GET', path: '/v1/:id', params: { id: 'a/b' } }],
  ['query.a', { method: 'GET', path: '/v1/x', query: { a: 1 } }],
  ['body', { method: 'POST', path: '/v1/x', body: 'text' }],
  ['', { method: 'POST', path: '/v1/x', body: referringToItself }],
])('%s is refused in %j, and nothing is sent', async (field, request) => {
  const { error, requests } = await failure(reply(200, {}), (messaging) =>
    Reflect.apply(messaging.request, messaging, [request]),
  );

  expect(error).toBeInstanceOf(InvalidInputError);
  expect(error).toMatchObject({ outcome: 'not_sent', problems: [expect.objectContaining({ field })] });
  expect(String(error)).not.toContain(apiKey);
  expect(requests).toHaveLength(0);
});

test('fills each name of the path as a whole, wherever it stands', async () => {
  const { messaging, requests } = await startClient(reply(200, {}));
  const params = { group: 'g', groupMember: 'm 1' };
  await messaging.request({ method: 'GET', path: '/v1/:groupMember/of/:group/and/:group', params });

  expect(requests[0]?.url).toBe('/api/v1/m%201/of/g/and/g');
});
