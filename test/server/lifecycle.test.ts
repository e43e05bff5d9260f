import { createReferenceServer } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { ManualClock } from './support/manual-clock.js';
import { openConnection, requestHead } from './support/raw-connection.js';
import { askOverSocket, askWith, phone, startServer } from './support/reference.js';

/** Its response tells that the server has read whatever was sent in the same packet. */
const anyRequest = requestHead('GET', '/', {});

const isFree = async (url: string) => {
  const { port, hostname } = new URL(url);
  const server = createReferenceServer();
  await server.listen({ port: Number(port), host: hostname });
  await server.close();
  return true;
};

describe('listen', () => {
  test('takes any free port of this machine by default, and says where', async () => {
    const server = startServer();
    const { url, baseUrl } = await server.listen();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(baseUrl).toBe(`${url}/api`);
    expect((await fetch(`${baseUrl}/v1/templates`)).status).toBe(401);
  });

  test.each([
    ['localhost', /^http:\/\/localhost:\d+$/],
    ['0.0.0.0', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['::1', /^http:\/\/\[::1\]:\d+$/],
    ['::', /^http:\/\/\[::1\]:\d+$/],
  ])('gives a URL that leads to %s', async (host, shape) => {
    const { url } = await startServer().listen({ host });
    expect(url).toMatch(shape);
    expect((await fetch(url)).status).toBe(404);
  });

  test('at once twice is refused, and one of them listens', async () => {
    const server = startServer();
    const [first, second] = await Promise.allSettled([server.listen(), server.listen()]);
    expect([first.status, second.status]).toEqual(['fulfilled', 'rejected']);
  });

  test('on a port that is taken says so, and can be tried again', async () => {
    const taken = new URL((await startServer().listen()).url);
    const server = startServer();
    await expect(server.listen({ port: Number(taken.port) })).rejects.toThrow('EADDRINUSE');
    await expect(server.listen()).resolves.toMatchObject({ url: expect.any(String) });
  });

  test.each([-1, 65_536, 1.5])('on port %d is refused', async (port) => {
    await expect(startServer().listen({ port })).rejects.toThrow(/port/);
  });

  test('after close is refused', async () => {
    const server = startServer();
    await server.close();
    await expect(server.listen()).rejects.toThrow('closed');
  });
});

describe('close', () => {
  test('of a server that never listened, or cannot, is only that', async () => {
    await startServer().close();
    const taken = new URL((await startServer().listen()).url);
    const server = startServer();
    const listening = server.listen({ port: Number(taken.port) });
    await server.close();
    await expect(listening).rejects.toThrow('EADDRINUSE');
  });

  test('while it begins to listen frees the port', async () => {
    const server = startServer();
    const listening = server.listen();
    await server.close();
    expect(await isFree((await listening).url)).toBe(true);
  });

  test('is what the end of an await using block does', async () => {
    let url = '';
    {
      await using server = createReferenceServer();
      ({ url } = await server.listen());
    }
    expect(await isFree(url)).toBe(true);
  });

  test('does not wait for connections that are kept alive', async () => {
    const server = startServer({ systemClock: new ManualClock() });
    const ask = await askOverSocket(server);
    await ask('GET', '/v1/templates');
    await server.close();
  });

  test('lets a request under way finish, then ends its connection', async () => {
    const server = startServer({ apiKey: 'key', systemClock: new ManualClock() });
    const { url } = await server.listen();
    const connection = await openConnection(url);
    const body = JSON.stringify({ phone });
    const headers = {
      Authorization: 'Bearer key',
      'Content-Type': 'application/json',
      'Content-Length': String(body.length),
    };
    connection.send(anyRequest + requestHead('POST', '/api/v1/contacts', headers) + body.slice(0, 5));
    await connection.responses(1);
    const closing = server.close();
    connection.send(body.slice(5));
    expect(await connection.closed()).toMatch(/HTTP\/1\.1 201 /);
    await closing;
  });

  test('waits a second, and no longer, for a connection that says nothing more', async () => {
    const machine = new ManualClock();
    const server = startServer({ systemClock: machine });
    const { url } = await server.listen();
    const [silent, stalled] = [await openConnection(url), await openConnection(url)];
    stalled.send(`${anyRequest}POST /api/v1/contacts HTTP/1.1\r\n`);
    await stalled.responses(1);
    let closed = false;
    const closing = server.close().then(() => {
      closed = true;
    });
    await expect.poll(() => machine.waiting).toBe(1);
    machine.pass(999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(closed).toBe(false);
    machine.pass(1);
    await Promise.all([closing, silent.closed(), stalled.closed()]);
  });

  test('finishes what was accepted', async () => {
    const server = startServer({ contacts: [{ phone }], segments: [{ id: 'seen', event: 'seen' }] });
    await askWith(server)('POST', '/v1/events', { event: 'seen', phone });
    await server.close();
    const [{ events, waitingEventIds }] = (await server.state()).workspaces;
    expect([events, waitingEventIds]).toEqual([[expect.objectContaining({ event: 'seen' })], []]);
  });
});
