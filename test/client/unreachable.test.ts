import { createServer } from 'node:http';
import { ConnectionError, type Middleware } from 'messaging-automation';
import { undiciTransport } from 'messaging-automation/undici';
import { ProxyAgent, fetch as undiciFetch } from 'undici';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { until } from '../waiting.js';
import { faults, reply } from './support/behaviours.js';
import { eagerClock, manualClock } from './support/clocks.js';
import { asFetch, send, unserved } from './support/samples.js';
import { clientOf, listen, rejection, sendOne, startService } from './support/service.js';

afterEach(() => {
  vi.unstubAllGlobals();
});

test.each([
  ['over TLS to a port that speaks none', (served: string) => served.replace('http:', 'https:')],
  ['to a port that fetch refuses to use', () => 'http://127.0.0.1:6000/api'],
])('a send %s has sent nothing, and is not tried again', async (_, address) => {
  const { baseUrl, requests } = await startService(reply(200, { success: true }));
  const error = await rejection(sendOne(clientOf({ baseUrl: address(baseUrl) })));

  const facts = { name: 'ConnectionError', outcome: 'not_sent', attempts: 1, retryable: false };
  expect(error).toMatchObject(facts);
  expect(String(error)).toContain('Check the base URL');
  expect(requests).toHaveLength(0);
});

test('a send that waits in vain for a connection of undici has sent nothing; the one before it may have', async () => {
  const service = await startService(faults.stall);
  const transport = undiciTransport({ connections: 1 });
  onTestFinished(() => transport.close());
  const [before, behind] = [manualClock(), manualClock()];
  const first = rejection(sendOne(clientOf(service, { transport, clock: before })));
  await service.received(1);
  let begun = false;
  const note: Middleware = (request, next) => {
    begun = true;
    return next(request);
  };
  const waiting = rejection(sendOne(clientOf(service, { transport, clock: behind, middleware: [note] })));
  await until('the second send', () => begun);
  behind.advance(30_000);
  before.advance(30_000);

  expect(await waiting).toMatchObject({ name: 'TimeoutError', outcome: 'not_sent', attempts: 1 });
  expect(await first).toMatchObject({ name: 'TimeoutError', outcome: 'unknown', attempts: 1 });
  expect(service.requests).toHaveLength(1);
});

/** A `fetch` through a proxy that responds to each CONNECT with this status, and how often it was asked. */
async function throughProxy(status: number) {
  let connects = 0;
  const proxy = createServer().on('connect', (_, socket) => {
    connects += 1;
    socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
  });
  const { origin } = new URL(await listen(proxy));
  const dispatcher = new ProxyAgent({ uri: origin, proxyTunnel: true });
  onTestFinished(async () => {
    await dispatcher.destroy();
    proxy.close();
  });
  const fetch = asFetch(undiciFetch, { dispatcher });
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
  expect(String(error)).toContain(`The proxy responded with ${status} to CONNECT`);
  expect(connects()).toBe(attempts);
});

/**
 * Runtimes that repeat requests by themselves are kept from it. The tests of the runtimes show that they obey:
 * `npm run test:runtimes`.
 */
function recordingFetch() {
  const fetch = vi.fn(async (_url: string, _init: RequestInit) => Response.json({ success: true }));
  return { inits: () => fetch.mock.calls.map(([, init]) => init), messaging: clientOf(unserved, { fetch }) };
}

test('Deno is given a body that it cannot send again', async () => {
  vi.stubGlobal('Deno', {});
  const { inits, messaging } = recordingFetch();
  await messaging.transactional.send(send);

  const body = inits()[0]?.body;
  expect(body).toBeInstanceOf(Blob);
  expect(await new Response(body ?? null).json()).toEqual(send);
});

test('Bun is given a DELETE that uses no kept connection', async () => {
  const { inits, messaging } = recordingFetch();
  await messaging.contacts.delete('c1');
  await messaging.transactional.send(send);

  expect(inits().map(({ keepalive }) => keepalive)).toEqual([false, undefined]);
  expect(inits()[1]?.body).toBeTypeOf('string');
});
