import { createServer, type Socket } from 'node:net';
import { ConnectionError, type FetchFunction } from 'messaging-automation';
import { ProxyAgent, fetch as undiciFetch } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { eagerClock } from './support/clocks.js';
import { send, unserved } from './support/samples.js';
import { clientOf, listen, rejection } from './support/service.js';

/** A `fetch` through a proxy that answers each CONNECT with this status, and how often it was asked. */
async function throughProxy(status: number) {
  const sockets = new Set<Socket>();
  let connects = 0;
  const proxy = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => {
      connects += 1;
      socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
    });
  });
  const { origin } = new URL(await listen(proxy));
  const dispatcher = new ProxyAgent({ uri: origin, proxyTunnel: true });
  onTestFinished(async () => {
    await dispatcher.destroy();
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  // The types of undici and of Node's own fetch differ in names that no call uses.
  const fetch: FetchFunction = async (url, { method, headers, body }) => {
    const answer = await undiciFetch(url, {
      method: method ?? 'GET',
      headers: Object.fromEntries(new Headers(headers)),
      body: typeof body === 'string' ? body : null,
      dispatcher,
    });
    return new Response(await answer.text(), { status: answer.status });
  };
  return { fetch, connects: () => connects };
}

test.each([
  [403, 1],
  [407, 1],
  [502, 3],
  [503, 3],
])('a proxy that refuses a tunnel with %d: nothing was sent, after %d attempts', async (status, attempts) => {
  const { fetch, connects } = await throughProxy(status);
  const error = await rejection(clientOf(unserved, { fetch, clock: eagerClock() }).transactional.send(send));

  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({ outcome: 'not_sent', attempts, retryable: attempts > 1 });
  expect(String(error)).toContain(`The proxy answered ${status} to CONNECT`);
  expect(connects()).toBe(attempts);
});
