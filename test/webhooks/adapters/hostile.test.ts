import { once } from 'node:events';
import { type ClientHttp2Session, connect, createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fastify from 'fastify';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import {
  createWebhookReceiver,
  signatureHeader,
  signWebhook,
  toFastifyPlugin,
  toFetchHandler,
  toHonoHandler,
  toNodeHandler,
} from 'messaging-automation/webhooks';
import { afterEach, describe, expect, test } from 'vitest';
import { messageBody, secret } from '../delivery-body.js';
import { type Endpoint, endpointOf } from './support/environment.js';
import { maxBodyBytes } from './support/faults.js';
import { delivery, type Sent, wrongSignature } from './support/sent.js';

// What a sender, or a middleware, does that the matrix has no row for.

let handled = 0;
let told: unknown[] = [];
afterEach(() => {
  handled = 0;
  told = [];
});

function receiverOf() {
  const tell = (error: unknown) => void told.push(error);
  const options = {
    secret,
    maxBodyBytes,
    tolerance: false,
    dedupe: false,
    onError: tell,
    onRefused: tell,
  } as const;
  return createWebhookReceiver(options).on('message.received', () => {
    handled += 1;
  });
}

async function seenAt(opening: Promise<Endpoint>, sent: Sent) {
  const endpoint = await opening;
  try {
    return await endpoint.send(sent);
  } finally {
    await endpoint.close();
  }
}

const signature = signWebhook(messageBody, secret);

describe('over HTTP/2', () => {
  let server: Http2Server | undefined;
  let session: ClientHttp2Session | undefined;
  afterEach(() => {
    session?.close();
    server?.close();
  });

  async function statusOf(headers: Readonly<Record<string, string | string[]>>, body: string) {
    server = createServer(toNodeHandler(receiverOf())).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // A TCP server that listens has no other kind of address.
    session = connect(`http://127.0.0.1:${port}`);
    const stream = session.request({ ':method': 'POST', ':path': '/webhooks', ...headers });
    stream.end(body);
    const [answer] = await once(stream, 'response');
    stream.resume();
    return answer[':status'];
  }

  test.each([
    ['verified', 204, { [signatureHeader]: signature }, messageBody],
    ['a bad signature', 401, { [signatureHeader]: wrongSignature }, messageBody],
    ['no signature', 401, {}, messageBody],
    ['two signatures', 401, { [signatureHeader]: [signature, signature] }, messageBody],
    ['too large', 413, { [signatureHeader]: signature }, ' '.repeat(maxBodyBytes + 1)],
  ] as const)('%s', async (_, status, headers, body) => {
    const several = Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : [...value],
    ]);

    expect(await statusOf(Object.fromEntries(several), body)).toBe(status);
    expect(handled).toBe(status === 204 ? 1 : 0);
  });
});

describe('a body that a middleware has held up', () => {
  test('is let go on', async () => {
    const handle = toNodeHandler(receiverOf());
    const opening = endpointOf((request, response) => {
      request.pause(); // to look up something before anybody reads, say
      void handle(request, response);
    });

    expect(await seenAt(opening, delivery())).toBe(204);
    expect(handled).toBe(1);
  });
});

describe('a stream that gives text in place of bytes is a fault of the set-up', () => {
  test('in a Fetch request', async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(messageBody); // as a careless bridge does
        controller.close();
      },
    });
    const init = { method: 'POST', headers: { [signatureHeader]: signature }, body, duplex: 'half' };

    expect((await toFetchHandler(receiverOf())(new Request('https://example.com/', init))).status).toBe(500);
    expect(told).toMatchObject([{ reason: 'parsed', message: expect.stringContaining('text') }]);
  });

  test('in a request of node:http', async () => {
    const handle = toNodeHandler(receiverOf());
    const opening = endpointOf((request, response) => {
      const decoded = new PassThrough({ objectMode: true });
      request.on('data', (chunk: Buffer) => decoded.write(chunk.toString())).on('end', () => decoded.end());
      void handle(Object.assign(decoded, { method: request.method, headers: request.headers }), response);
    });

    expect(await seenAt(opening, delivery())).toBe(500);
    expect(told).toMatchObject([{ reason: 'parsed', message: expect.stringContaining('text') }]);
  });
});

test('a body of many small chunks takes the memory of its bytes, and not of its chunks', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const bytes = new TextEncoder().encode(messageBody);
  const chunks: WeakRef<Uint8Array>[] = [];
  const alive: number[] = [];
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (chunks.length === bytes.length) {
        // A weak reference holds until its turn is over.
        await new Promise((resolve) => setImmediate(resolve));
        collectGarbage();
        alive.push(chunks.filter((chunk) => chunk.deref() !== undefined).length);
        return controller.close();
      }
      const chunk = bytes.slice(chunks.length, chunks.length + 1);
      chunks.push(new WeakRef(chunk));
      controller.enqueue(chunk);
    },
  });
  const init = { method: 'POST', headers: { [signatureHeader]: signature }, body, duplex: 'half' };

  expect((await toFetchHandler(receiverOf())(new Request('https://example.com/', init))).status).toBe(204);
  expect(alive[0]).toBeLessThan(bytes.length / 10);
});

describe('what other middleware leaves', () => {
  test("Fastify's own requests for tests", async () => {
    const app = fastify().register(toFastifyPlugin(receiverOf()), { prefix: '/webhooks' });
    const inject = (headers: Record<string, string>) =>
      app.inject({ method: 'POST', url: '/webhooks', headers, payload: messageBody });

    expect((await inject({ [signatureHeader]: wrongSignature })).statusCode).toBe(401);
    expect((await inject({ [signatureHeader]: signature })).statusCode).toBe(204);
  });

  test("Hono's bodyLimit, which reads a body without a length and hands on another", async () => {
    const app = new Hono()
      .use(bodyLimit({ maxSize: maxBodyBytes }))
      .all('/webhooks', toHonoHandler(receiverOf()));
    const statusOf = async (text: string, sent: string) => {
      const body = new Blob([text]).stream();
      const init = { method: 'POST', body, headers: { [signatureHeader]: sent }, duplex: 'half' };
      return (await app.request('/webhooks', init)).status;
    };

    expect(await statusOf(messageBody, signature)).toBe(204);
    expect(await statusOf(messageBody, wrongSignature)).toBe(401);
    expect(await statusOf(' '.repeat(2 * maxBodyBytes), wrongSignature)).toBe(413);
    expect(handled).toBe(1);
  });

  test('a body that Hono keeps for the next reader of it: it was read', async () => {
    const app = new Hono().use(async (context, next) => {
      await context.req.text();
      await next();
    });
    app.all('/webhooks', toHonoHandler(receiverOf()));
    const init = { method: 'POST', body: messageBody, headers: { [signatureHeader]: signature } };

    expect((await app.request('/webhooks', init)).status).toBe(500);
    expect(told).toMatchObject([{ reason: 'consumed' }]);
  });
});
