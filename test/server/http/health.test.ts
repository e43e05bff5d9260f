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

  test('is no path of the API, and takes GET, HEAD and OPTIONS alone', async () => {
    const ask = askWith(startServer());
    expect((await ask('GET', '/health')).status).toBe(404);
    expect(await ask('HEAD', '/../health')).toMatchObject({ status: 200, body: undefined });
    const { status, headers } = await ask('POST', '/../health');
    expect([status, headers.get('allow')]).toEqual([405, 'GET, OPTIONS']);
  });
});

describe('a load balancer that speaks HTTP/1.0 without a Host', () => {
  const ok = /^HTTP\/1\.1 200 OK\r\n/;

  async function responseTo(text: string): Promise<string> {
    const connection = await openConnection((await startServer({ metrics: true }).listen()).url);
    connection.send(text);
    return connection.closed();
  }

  test.each([
    ['GET /health', '{"status":"ok"}'],
    ['HEAD /health', ''],
    ['OPTIONS /health', '{"status":"ok"}'],
    ['GET http://10.0.0.7:4010/health', '{"status":"ok"}'],
    ['GET /metrics', '# TYPE'],
    ['GET /openapi.json', '{"openapi"'],
  ])('gets the response to %s, and the end of the connection', async (line, body) => {
    const text = await responseTo(`${line} HTTP/1.0\r\n\r\n`);
    expect(text).toMatch(ok);
    expect(text.split('\r\n\r\n')[1]).toMatch(new RegExp(`^${body.replace(/[{"}]/g, '\\$&')}`));
    if (body === '') expect(text).toMatch(/\r\n\r\n$/);
  });

  test('keeps the connection if it asks for that', async () => {
    const connection = await openConnection((await startServer().listen()).url);
    for (const count of [1, 2]) {
      connection.send('GET /health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n');
      expect((await connection.responses(count)).match(/Connection: keep-alive/g)).toHaveLength(count);
    }
  });

  test('may send an empty Host, also in HTTP/1.1', async () => {
    for (const version of ['1.0', '1.1'])
      expect(await responseTo(`GET /health HTTP/${version}\r\nHost:\r\nConnection: close\r\n\r\n`)).toMatch(
        ok,
      );
  });

  test('may leave the Host out in HTTP/1.0 alone', async () => {
    expect(await responseTo('GET /health HTTP/1.1\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('gets 401 from the API, as with a Host', async () => {
    expect(await responseTo('GET /api/v1/templates HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 401 /);
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
