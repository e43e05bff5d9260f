import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import { connect, type Socket } from 'node:net';
import express from 'express';
import { signatureHeader, signWebhook, toFetchHandler, toNodeHandler } from 'messaging-automation/webhooks';
import { afterEach, beforeEach, describe, expect, expectTypeOf, onTestFinished, test, vi } from 'vitest';
import { within, withResolvers } from '../../../waiting.js';
import { messageBody, secret } from '../../delivery-body.js';
import { bridged, onHonoServer } from '../fetch/environments.js';
import { portOf } from '../support/environment.js';
import { recordingReceiver } from '../support/receiver.js';
import { listenersOfHttp2 } from './http2.js';
import { listeners } from './node-http.js';

let server: Server | undefined;
let onConnection: ((connection: Socket) => void) | undefined;

afterEach(async () => {
  onConnection = undefined;
  server?.closeAllConnections();
  server?.close();
});

async function connected(listener: RequestListener): Promise<Socket> {
  server = createServer({ keepAliveTimeout: 0 }, listener);
  server.on('connection', (connection) => onConnection?.(connection));
  return connect({ port: await portOf(server), host: '127.0.0.1' }).setEncoding('latin1');
}

/** Resolves when the server has closed the connection, which it does not by an idle timeout of its own. */
const closing = (socket: Socket) => within('the end of the connection', once(socket, 'close'));

const receiverOf = () => recordingReceiver({ maxBodyBytes: 1000 }).receiver;

const head = (...headers: readonly string[]) =>
  ['POST /webhooks HTTP/1.1', 'Host: example.com', ...headers, '\r\n'].join('\r\n');

/** Sends all of a request before it reads anything, as proxies do. Returns the first part of the response. */
async function responseToAllOf(socket: Socket, request: string): Promise<string> {
  const failures: unknown[] = [];
  socket.pause().on('error', (error) => failures.push(error));
  await new Promise<void>((resolve) => {
    socket.write(request, () => resolve());
  });
  const [response] = await once(socket.resume(), 'data');
  expect(failures).toEqual([]);
  return String(response);
}

/** Of the right form: a request without one gets a response before its body is looked at. */
const unverified = `${signatureHeader}: ${'0'.repeat(64)}`;

const signed = head(
  `${signatureHeader}: ${signWebhook(messageBody, secret)}`,
  `Content-Length: ${Buffer.byteLength(messageBody)}`,
);

describe('a sender that gets a response before the end of its body', () => {
  // Only the timers that this process sets by itself: those of sockets are Node's own.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  test.each([
    ['sends too much', `${head(unverified, 'Transfer-Encoding: chunked')}7d0\r\n${' '.repeat(2000)}\r\n`],
    ['says that it will send too much', head(unverified, 'Content-Length: 1001')],
  ])('and %s, and then stalls, is cut off', async (_, sent) => {
    const socket = await connected(toNodeHandler(receiverOf()));
    const closed = closing(socket);
    socket.write(sent);

    const [response] = await once(socket, 'data');
    expect(response).toMatch(/^HTTP\/1\.1 413 /);
    await vi.advanceTimersByTimeAsync(2_000);
    await closed;
  });

  test.each([
    ['asks for the end of the connection', 'Connection: close', unverified, 413],
    ['asks for nothing', 'X-Nothing: 1', unverified, 413],
    ['is refused for its headers', 'Connection: close', 'X-Nothing: 1', 401],
    ['speaks HTTP/1.0, as nginx does by default', 'Connection: close', unverified, 413, 'HTTP/1.0'],
  ])(
    'and %s gets the response, though it reads nothing before it has sent all',
    async (_, header, signature, status, version = 'HTTP/1.1') => {
      const socket = await connected(toNodeHandler(receiverOf()));
      const response = await responseToAllOf(socket, large(header, signature).replace('HTTP/1.1', version));
      expect(response).toContain(`HTTP/1.1 ${status} `);
      if (header.startsWith('Connection')) await closing(socket);
      else expect(await statusOfNext(socket)).toMatch(/^HTTP\/1\.1 204 /);
    },
  );

  test.each(Object.entries(listeners))(
    'because the receiver drains gets the response, and the end of the connection: %s',
    async (_, listenerOf) => {
      const receiver = receiverOf();
      await receiver.drain();
      const socket = await connected(await listenerOf(receiver));
      const response = await responseToAllOf(socket, large('X-Nothing: 1', unverified));
      expect(response).toContain('HTTP/1.1 503 ');
      expect(connectionIn(response)).toEqual(['close']);
      await closing(socket);
    },
  );

  test('and never ends is cut off after 16 MiB', async () => {
    const received = new Promise<number>((resolve) => {
      onConnection = (connection) => connection.once('close', () => resolve(connection.bytesRead));
    });
    const socket = await connected(toNodeHandler(receiverOf()));
    socket.on('error', () => undefined).resume();
    socket.write(head(unverified, 'Transfer-Encoding: chunked'));
    const send = () => {
      while (socket.writable && socket.write(`10000\r\n${' '.repeat(0x10000)}\r\n`));
    };
    socket.on('drain', send);
    send();

    expect(await received).toBeLessThan(24 * 1024 * 1024);
  });

  const large = (...headers: readonly string[]) =>
    head('Content-Length: 4000000', ...headers) + ' '.repeat(4_000_000);

  const statusOfNext = async (socket: Socket) => {
    socket.write(signed + messageBody);
    const [response] = await once(socket, 'data');
    return response;
  };
});

/** What the headers of a response say about its connection. */
const connectionIn = (response: string) =>
  [...response.matchAll(/^connection: (.*?)\r$/gim)].map(([, value]) => value);

const listenersAndFetch: typeof listeners = {
  ...listeners,
  'a Fetch handler': (receiver) => onHonoServer(toFetchHandler(receiver)),
  'a Fetch handler, bridged': (receiver) => bridged(toFetchHandler(receiver)),
};

describe.each(Object.entries(listenersAndFetch))('a receiver that drains, in %s', (_, listenerOf) => {
  test.each([
    ['a delivery', signed + messageBody],
    ['a request without a body', head('Content-Length: 0')],
    [
      'a delivery whose sender wants to go on',
      signed.replace('Host', 'Connection: keep-alive\r\nHost') + messageBody,
    ],
    ['a delivery of which the headers alone have come', signed],
  ])('refuses %s, says that the connection ends, and ends it', async (_name, request) => {
    const receiver = receiverOf();
    await receiver.drain();
    const socket = await connected(await listenerOf(receiver));
    const closed = closing(socket);
    socket.write(request);
    const [response] = await once(socket, 'data');
    expect(response).toContain('HTTP/1.1 503 ');
    expect(connectionIn(response)).toEqual(['close']);
    if (request === signed) socket.write(messageBody);
    await closed;
  });
});

test.each(Object.entries(listenersOfHttp2))(
  'a receiver that drains says nothing of a connection over HTTP/2, in %s',
  async (_, listenerOf) => {
    const receiver = receiverOf();
    await receiver.drain();
    const listener = await listenerOf(receiver);
    const serverOfHttp2 = createHttp2Server(listener);
    const session = connectHttp2(`http://127.0.0.1:${await portOf(serverOfHttp2)}`);
    onTestFinished(() => {
      session.destroy();
      serverOfHttp2.close();
    });
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
    onTestFinished(() => void warned.mockRestore());
    for (const body of [messageBody, undefined]) {
      const sender = session.request({ ':method': 'POST', ':path': '/webhooks' });
      if (body === undefined)
        sender.write('{'); // and no end
      else sender.end(body);
      const [headers] = await once(sender, 'response');
      expect(headers).toMatchObject({ ':status': 503, 'retry-after': '5' });
      expect(headers).not.toHaveProperty('connection');
      sender.close();
    }
    expect(session.closed).toBe(false);
    expect(warned).not.toHaveBeenCalled();
  },
);

test('a delivery that was read whole leaves the connection open for the next', async () => {
  const socket = await connected(toNodeHandler(receiverOf()));

  for (const _ of [1, 2]) {
    socket.write(signed + messageBody);
    const [response] = await once(socket, 'data');
    expect(response).toMatch(/^HTTP\/1\.1 204 .*Connection: keep-alive/s);
  }
});

test('a sender who leaves while the handler works does no harm', async () => {
  const handling = withResolvers();
  const handled = withResolvers();
  const receiver = receiverOf().on('message.received', () => handling.promise);
  const handle = toNodeHandler(receiver);
  const socket = await connected((request, response) => {
    void handle(request, response).then(handled.resolve);
    response.once('close', handling.resolve);
  });
  socket.write(signed + messageBody, () => socket.destroy());

  await expect(handled.promise).resolves.toBeUndefined();
  expect(await receiver.drain()).toEqual([]);
});

test('a request that was broken off before the receiver saw it does not hang', async () => {
  const handle = toNodeHandler(receiverOf());
  const handled = withResolvers();
  const socket = await connected((request, response) => {
    request.once('close', () => void handle(request, response).then(handled.resolve));
    socket.destroy();
  });
  socket.write(head('Content-Length: 1000'));

  await expect(handled.promise).resolves.toBeUndefined();
});

test("a secret that is chosen by the request gets the framework's own", async () => {
  const { receiver } = recordingReceiver<express.Request>({
    secret: (request) => (request.params.subscription === 'shop' ? secret : undefined),
  });
  receiver.on('message.received', (_event, context) => {
    expectTypeOf(context.request).toEqualTypeOf<express.Request>();
  });
  const app = express().post('/:subscription', toNodeHandler(receiver));
  const socket = await connected(app);

  socket.write(signed.replace('/webhooks', '/shop') + messageBody);
  expect((await once(socket, 'data'))[0]).toMatch(/^HTTP\/1\.1 204 /);
  socket.write(signed.replace('/webhooks', '/other') + messageBody);
  expect((await once(socket, 'data'))[0]).toMatch(/^HTTP\/1\.1 401 /);
});
