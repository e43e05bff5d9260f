import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect,
  createServer,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fastify from 'fastify';
import Koa from 'koa';
import {
  type ReceiverCore,
  signatureHeader,
  signWebhook,
  toFastifyPlugin,
  toKoaMiddleware,
  toNodeHandler,
} from 'messaging-automation/webhooks';
import { afterEach, describe, expect, test } from 'vitest';
import { messageBody, secret } from '../../delivery-body.js';
import { recordingReceiver } from '../support/receiver.js';
import { wrongSignature } from '../support/sent.js';

type Listener = (request: Http2ServerRequest, response: Http2ServerResponse) => unknown;

const frameworks: readonly (readonly [
  name: string,
  listenerOf: (receiver: ReceiverCore<unknown>) => Listener | Promise<Listener>,
])[] = [
  ['node:http2', (receiver) => toNodeHandler(receiver)],
  ['Koa', (receiver) => new Koa().use(toKoaMiddleware(receiver)).callback()],
  [
    'Fastify',
    async (receiver) => {
      let listener: Listener = () => undefined;
      const app = fastify({
        http2: true,
        serverFactory: (handler) => {
          listener = handler;
          return createServer();
        },
      });
      await app.register(toFastifyPlugin(receiver), { prefix: '/webhooks' });
      await app.ready();
      return listener;
    },
  ],
];

const streams = 300;
const head = { ':method': 'POST', ':path': '/webhooks', 'content-type': 'application/json' };

let server: Http2Server | undefined;
let session: ClientHttp2Session | undefined;
afterEach(() => {
  session?.destroy();
  server?.close();
});

describe.each(frameworks)('over HTTP/2, in %s', (_, listenerOf) => {
  test('300 senders that stall are answered, and nothing of them is held', async () => {
    const timers = new Set<() => void>();
    const { receiver } = recordingReceiver({
      clock: {
        now: () => 0,
        setTimer: (callback) => {
          timers.add(callback);
          return () => timers.delete(callback);
        },
      },
    });
    const held = await serve(await listenerOf(receiver));

    const senders = Array.from({ length: streams }, () => {
      const sender = session?.request({ ...head, [signatureHeader]: wrongSignature });
      sender?.write(' '.repeat(100)); // and then nothing more
      return sender;
    });
    await expect.poll(held.begunBodies, { timeout: 20_000 }).toBe(streams);
    expect(timers.size).toBe(streams);
    const answers = senders.map(async (sender) => {
      if (sender === undefined) throw new Error('There is no session.');
      const closed = once(sender, 'close');
      const [headers] = await once(sender, 'response');
      await closed;
      return [headers[':status'], sender.rstCode];
    });
    for (const timeIsUp of timers) timeIsUp();

    expect(await Promise.all(answers)).toEqual(senders.map(() => [503, 0]));
    await expect.poll(held.openStreams, { timeout: 20_000 }).toBe(0);
    expect(await held.chunksAlive()).toBeLessThan(streams / 10);

    const delivery = session?.request({ ...head, [signatureHeader]: signWebhook(messageBody, secret) });
    delivery?.end(messageBody);
    if (delivery !== undefined) expect((await once(delivery, 'response'))[0][':status']).toBe(204);
  });
});

/** Serves, connects, and counts what is held of the requests. It keeps the requests themselves, as an application may. */
async function serve(listener: Listener) {
  const requests: Http2ServerRequest[] = [];
  const open = new Set<ServerHttp2Stream>();
  const chunks: WeakRef<Uint8Array>[] = [];
  server = createServer((request, response) => {
    void listener(request, response);
    requests.push(request);
    open.add(request.stream);
    request.stream.once('close', () => open.delete(request.stream));
    request.once('data', (chunk: Uint8Array) => chunks.push(new WeakRef(chunk)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // A TCP server that listens has no other kind of address.
  session = connect(`http://127.0.0.1:${port}`);
  return {
    begunBodies: () => chunks.length,
    openStreams: () => open.size,
    chunksAlive: async () => {
      setFlagsFromString('--expose-gc');
      const collectGarbage: () => void = runInNewContext('gc');
      // A weak reference holds until its turn is over.
      await new Promise((resolve) => setImmediate(resolve));
      collectGarbage();
      return chunks.filter((chunk) => chunk.deref() !== undefined).length;
    },
  };
}
