import { describe, expect, test } from 'vitest';
import { openConnection, requestHead } from '../support/raw-connection.js';
import { askOverSocket, askWith, startServer, startWithApi } from '../support/reference.js';

describe('GET /health', () => {
  test('responds to whoever asks, on the socket and without one', async () => {
    const server = startServer();
    const withoutKey = { Authorization: undefined };
    for (const ask of [askWith(server), await askOverSocket(server)]) {
      const { status, body } = await ask('GET', '/../health', undefined, withoutKey);
      expect([status, body]).toEqual([200, { status: 'ok' }]);
    }
  });

  test('refuses a key that is not valid', async () => {
    const wrong = { Authorization: 'Bearer wrong' };
    expect((await askWith(startServer())('GET', '/../health', undefined, wrong)).status).toBe(401);
  });

  test('is no path of the API, and takes GET and HEAD alone', async () => {
    const ask = askWith(startServer());
    expect((await ask('GET', '/health')).status).toBe(404);
    expect(await ask('HEAD', '/../health')).toMatchObject({ status: 200, body: undefined });
    const { status, headers } = await ask('POST', '/../health');
    expect([status, headers.get('allow')]).toEqual([405, 'GET']);
  });
});

describe('every response carries an id of its request', () => {
  test('whatever it says', async () => {
    const { ask } = startWithApi({ cors: '*' });
    const responses = [
      await ask('GET', '/v1/templates'),
      await ask('GET', '/v1/templates', undefined, { Authorization: undefined }),
      await ask('POST', '/v1/contacts', 'not JSON'),
      await ask('PATCH', '/v1/templates'),
      await ask('GET', '/nowhere'),
      await ask('GET', '/../health'),
      await ask('GET', '/../openapi.json'),
      await ask('GET', '/../control/clock'),
      await ask('OPTIONS', '/v1/templates', undefined, {
        Origin: 'https://app.example.com',
        'Access-Control-Request-Method': 'GET',
      }),
    ];
    const ids = responses.map(({ headers }) => headers.get('x-request-id'));
    expect(ids.filter((id) => !/^request_/.test(id ?? ''))).toEqual([]);
    expect(new Set(ids).size).toBe(responses.length);
  });

  test('that makes no sense, where no id can be made, is refused, too', async () => {
    const server = startServer({
      newId(kind) {
        if (kind === 'request') throw new Error('kaputt');
        return kind;
      },
    });
    const connection = await openConnection((await server.listen()).url);
    connection.send(requestHead('GET', '/api/v1/templates', { Host: 'a b' }));
    expect(await connection.responses(1)).toMatch(/^HTTP\/1\.1 500 /);
  });
});
