import type { ReferenceServer, ServerLogEntry } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { openConnection, requestHead } from '../support/raw-connection.js';
import { phone, startServer } from '../support/reference.js';

const authorization = 'Bearer key';
const templates = requestHead('GET', '/api/v1/templates', { Authorization: authorization });
const jsonHeaders = { Authorization: authorization, 'Content-Type': 'application/json' };
const upsert = JSON.stringify({ phone });

async function connected(): Promise<{
  server: ReferenceServer;
  connection: Awaited<ReturnType<typeof openConnection>>;
  log: ServerLogEntry[];
}> {
  const log: ServerLogEntry[] = [];
  const server = startServer({ apiKey: 'key', log: (entry) => log.push(entry) });
  const { url } = await server.listen();
  return { server, log, connection: await openConnection(url) };
}

/** Whether the server still responds, on a connection of its own. */
async function serves(server: ReferenceServer): Promise<void> {
  const response = await server.fetch(
    new Request('http://localhost/api/v1/templates', { headers: { Authorization: authorization } }),
  );
  expect(response.status).toBe(200);
}

describe('after 413', () => {
  test('the connection serves the next request, when the client sends all that it declared', async () => {
    const { connection } = await connected();
    const body = 'x'.repeat(1024 * 1024 + 1);
    connection.send(
      requestHead('POST', '/api/v1/contacts', { ...jsonHeaders, 'Content-Length': String(body.length) }),
    );
    connection.send(body);
    expect(await connection.responses(1)).toMatch(/^HTTP\/1\.1 413 /);
    connection.send(templates);
    expect(await connection.responses(2)).toMatch(/HTTP\/1\.1 200 OK/);
  });

  test('the response comes before the body is sent, and the connection is closed when the body never comes', async () => {
    const { server, connection } = await connected();
    connection.send(
      requestHead('POST', '/api/v1/contacts', { ...jsonHeaders, 'Content-Length': '99999999' }),
    );
    expect(await connection.responses(1)).toMatch(/^HTTP\/1\.1 413 /);
    const text = await connection.closed();
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
    await serves(server);
  });

  test('a chunked body gets a response and is cut off, or read to its end', async () => {
    const { server, connection } = await connected();
    connection.send(
      requestHead('POST', '/api/v1/contacts', { ...jsonHeaders, 'Transfer-Encoding': 'chunked' }),
    );
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    for (let i = 0; i < 20; i += 1) connection.send(chunk);
    expect(await connection.responses(1)).toMatch(/^HTTP\/1\.1 413 /);
    await serves(server);
  });

  test('the response arrives where the client asks for the connection to be closed', async () => {
    const { connection } = await connected();
    const body = 'x'.repeat(8 * 1024 * 1024);
    const head = { ...jsonHeaders, 'Content-Length': String(body.length), Connection: 'close' };
    connection.send(requestHead('POST', '/api/v1/contacts', head) + body);

    expect(await connection.closed()).toMatch(/^HTTP\/1\.1 413 .*"payload_too_large"/s);
  });

  test('a client that waits to be told to go on is not, and the connection is closed', async () => {
    const { connection } = await connected();
    const head = { ...jsonHeaders, 'Content-Length': '2000000', Expect: '100-continue' };
    connection.send(requestHead('POST', '/api/v1/contacts', head));

    expect(await connection.closed()).toMatch(/^HTTP\/1\.1 413 .*Connection: close/is);
  });

  test('a client that waits to be told to go on is, where its body is read', async () => {
    const { connection } = await connected();
    const head = { ...jsonHeaders, 'Content-Length': String(upsert.length), Expect: '100-continue' };
    connection.send(requestHead('POST', '/api/v1/contacts', head));
    expect(await connection.responses(1)).toMatch(/^HTTP\/1\.1 100 Continue/);
    connection.send(upsert);

    expect(await connection.responses(2)).toContain('HTTP/1.1 201 Created');
  });
});

test.each([
  ['with a declared length', { 'Content-Length': '100' }, '{"phone":'],
  ['in chunks', { 'Transfer-Encoding': 'chunked' }, '9\r\n{"phone":\r\n'],
])('a request that is cut short is no failure of the server: %s', async (_, headers, body) => {
  const { server, connection, log } = await connected();
  connection.send(requestHead('POST', '/api/v1/contacts', { ...jsonHeaders, ...headers }) + body);
  // The response to this one tells that the server has met the first.
  await serves(server);
  connection.destroy();
  await expect.poll(() => log.filter((entry) => entry.type === 'request')).toHaveLength(2);
  expect(log.filter((entry) => entry.type === 'error')).toEqual([]);
  expect(log).toContainEqual(expect.objectContaining({ method: 'POST', status: 400 }));
  await serves(server);
});

describe('a request that makes no sense', () => {
  test.each([
    ['a Host that is none', requestHead('GET', '/api/v1/templates', { Host: 'a b' })],
    ['a Host with a path', requestHead('GET', '/health', { Host: 'h/control/quota?' })],
    ['a Host with a user', requestHead('GET', '/health', { Host: 'user@h' })],
    ['a backslash in the path', requestHead('GET', '/api\\v1\\templates', {})],
    ['an asterisk for a path', requestHead('OPTIONS', '*', {})],
    ['a Host that is none, in HTTP/1.0', 'GET /health HTTP/1.0\r\nHost: a b\r\n\r\n'],
  ])('gives 400 with an error body: %s', async (_, text) => {
    const { server, connection } = await connected();
    connection.send(text);
    const response = await connection.responses(1);
    expect(response).toMatch(/^HTTP\/1\.1 400 .*\r\nX-Request-Id: request_/is);
    expect(response).toContain('"invalid_request"');
    expect(response).toContain('"The request line or the Host header is not valid."');
    await serves(server);
  });

  test.each([
    ['garbage', 'blah\r\n\r\n', 400],
    ['a method of its own', requestHead('FETCH', '/api/v1/templates', {}), 400],
    [
      'two lengths',
      requestHead('POST', '/api/v1/contacts', { 'Content-Length': '5', 'content-length': '6' }),
      400,
    ],
    [
      'a length and chunks',
      requestHead('POST', '/api/v1/contacts', { 'Content-Length': '5', 'Transfer-Encoding': 'chunked' }),
      400,
    ],
    ['headers without end', requestHead('GET', '/', { Note: 'x'.repeat(20_000) }), 431],
  ])('is refused by the socket itself: %s', async (_, text, status) => {
    const { server, connection } = await connected();
    connection.send(text);
    expect(await connection.closed()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    await serves(server);
  });
});

test('dot segments and absolute targets lead where they point, and no further', async () => {
  const { connection } = await connected();
  connection.send(requestHead('GET', '/api/v1/contacts/../templates', { Authorization: authorization }));
  expect(await connection.responses(1)).toMatch(/^HTTP\/1\.1 200 /);
  connection.send(
    requestHead('GET', 'http://elsewhere.test/api/v1/templates', { Authorization: authorization }),
  );
  connection.send(requestHead('GET', '/../../../etc/passwd', { Authorization: authorization }));
  const text = await connection.responses(3);
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 404']);
});
