import { describe, expect, test } from 'vitest';
import { askWith, phone, refusal, startServer, startWithApi } from '../support/reference.js';

describe('a path where nothing is served', () => {
  test.each(['/v1', '/v1/contact', '/v1/contacts/', '/v1//contacts', '/v1/contacts/x/', '/V1/contacts'])(
    'gives 404 unknown_path: %s',
    async (path) => {
      const ask = askWith(startServer());
      for (const method of ['GET', 'POST']) {
        const { status, body, headers } = await ask(method, path, method === 'POST' ? {} : undefined);
        expect([status, headers.get('allow')]).toEqual([404, null]);
        expect(body).toEqual(refusal('unknown_path'));
      }
    },
  );

  test('gives 404 with a key or without, outside the prefix too', async () => {
    const server = startServer();
    for (const path of ['/', '/v1/contacts', '/api', '/control/none']) {
      const response = await server.fetch(new Request(`http://localhost${path}`));
      expect(response.status, path).toBe(404);
      expect(await response.json()).toEqual(refusal('unknown_path'));
    }
  });

  test('is named in the response, without what could be a phone, an id or a key', async () => {
    const server = startServer({ apiKey: 'key_0123456789' });
    const { body } = await askWith(server)('GET', `/v1/contact/${phone}/key_0123456789/of-mine`);
    expect(body).toMatchObject({
      error: { message: expect.stringContaining('/api/v1/contact/***/***/of-mine.') },
    });
  });
});

test.each([
  ['GET', '/v1/contacts', 'POST'],
  ['POST', '/v1/contacts/find', 'GET, PUT, DELETE'],
  ['PATCH', '/v1/contacts/x', 'GET, PUT, DELETE'],
  ['HEAD', '/v1/events', 'POST'],
  ['OPTIONS', '/v1/events', 'POST'],
  ['PUT', '/v1/webhooks/x', 'DELETE'],
  ['DELETE', '/v1/templates', 'GET'],
])('a method that a path does not take gives 405 with Allow: %s %s', async (method, path, allow) => {
  const { status, headers, body } = await askWith(startServer())(method, path);
  expect([status, headers.get('allow')]).toEqual([405, allow]);
  if (method !== 'HEAD') expect(body).toEqual(refusal('method_not_allowed'));
});

test('HEAD gets a response like GET, without the body', async () => {
  const ask = askWith(startServer());
  const { status, body, headers } = await ask('HEAD', '/v1/templates');
  expect([status, body]).toEqual([200, undefined]);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
});

describe('an id in the path', () => {
  test.each(['%zz', 'a%2Fb', 'a%00b', ':id', 'find%20', '__proto__', 'a'.repeat(8_000)])(
    'may be anything, and is not found: %s',
    async (id) => {
      const ask = askWith(startServer());
      for (const [method, path, body] of [
        ['GET', '/v1/contacts/', undefined],
        ['PUT', '/v1/contacts/', { properties: {} }],
        ['DELETE', '/v1/contacts/', undefined],
        ['DELETE', '/v1/webhooks/', undefined],
      ] as const) {
        const response = await ask(method, path + id, body);
        expect([method, response.status, response.body]).toEqual([method, 404, refusal('not_found')]);
      }
    },
  );

  test('is not repeated in the response, since a phone is easily put there', async () => {
    const { status, body } = await askWith(startServer())('GET', `/v1/contacts/${phone}`);
    expect(status).toBe(404);
    expect(JSON.stringify(body)).not.toContain('5551234567');
    expect(body).toMatchObject({ error: { message: expect.stringContaining('/v1/contacts/find') } });
  });

  test('is compared after decoding', async () => {
    const { ask } = startWithApi({ newId: (kind) => (kind === 'contact' ? 'contact 1/€' : kind) });
    await ask('POST', '/v1/contacts', { phone });
    expect((await ask('GET', `/v1/contacts/${encodeURIComponent('contact 1/€')}`)).status).toBe(200);
  });
});

test.each([
  ['', 'is required'],
  ['?phone', 'E.164'],
  ['?phone=15551234567', 'E.164'],
  [`?phone=${phone}`, '%2B'],
  ['?phone=%2B15551234567&phone=%2B15551234567', 'must be a string'],
  ['?phone=%2B1555123456%', 'E.164'],
  ['?__proto__=a&constructor=b&toString=c', 'is required'],
])('the query of find is refused where it holds no one phone: %s', async (query, words) => {
  const { status, body } = await askWith(startServer())('GET', `/v1/contacts/find${query}`);
  expect(status).toBe(400);
  expect(body).toEqual(refusal('invalid_request', 'phone'));
  expect(JSON.stringify(body)).toContain(words);
});
