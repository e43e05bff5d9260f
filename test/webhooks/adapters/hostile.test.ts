import { once } from 'node:events';
import { createServer, type OutgoingHttpHeaders, type RequestListener } from 'node:http';
import {
  type ClientHttp2Session,
  connect,
  createServer as createHttp2Server,
  type Http2Server,
} from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { PassThrough } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import {
  type ReceiverCore,
  signatureHeader,
  signWebhook,
  toFetchHandler,
  toHonoHandler,
  toNodeHandler,
} from 'messaging-automation/webhooks';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ManualClock } from '../../server/support/manual-clock.js';
import { until, withResolvers } from '../../waiting.js';
import { messageBody, secret } from '../delivery-body.js';
import { portOf, seenAt } from './support/environment.js';
import { maxBodyBytes } from './support/faults.js';
import { rawExchange } from './support/raw-exchange.js';
import { recordingReceiver } from './support/receiver.js';
import {
  delivery,
  type Sent,
  signedRequest,
  splitInsideCodePoint,
  streamOf,
  wrongSignature,
} from './support/sent.js';

// What a sender, or a middleware, does that the matrix has no row for.

const receiverOf = () => recordingReceiver({ maxBodyBytes, dedupe: false });

const signature = signWebhook(messageBody, secret);
const bytes = new TextEncoder().encode(messageBody);

describe('over HTTP/2', () => {
  let server: Http2Server | undefined;
  let session: ClientHttp2Session | undefined;
  afterEach(() => {
    session?.close();
    server?.close();
  });

  test.each<[string, number, OutgoingHttpHeaders, string]>([
    ['verified', 204, { [signatureHeader]: signature }, messageBody],
    ['a bad signature', 401, { [signatureHeader]: wrongSignature }, messageBody],
    ['no signature', 401, {}, messageBody],
    ['two signatures', 401, { [signatureHeader]: [signature, signature] }, messageBody],
    ['too large', 413, { [signatureHeader]: signature }, ' '.repeat(maxBodyBytes + 1)],
  ])('%s: %i', async (_, status, headers, body) => {
    const { receiver, handled } = receiverOf();
    const stream = await sentTo(receiver, headers, body);
    const [response] = await once(stream, 'response');
    stream.resume();

    expect(response[':status']).toBe(status);
    expect(handled).toHaveLength(status === 204 ? 1 : 0);
  });

  test('a response while draining has no Connection header, which HTTP/2 forbids', async () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const { receiver } = receiverOf();
    await receiver.drain();
    const [response] = await once(await sentTo(receiver, {}, messageBody), 'response');

    expect([response[':status'], response['retry-after']]).toEqual([503, '5']);
    expect(emitWarning).not.toHaveBeenCalled();
  });

  test('drain does not wait for the response to a sender who left', async () => {
    const [begun, left] = [withResolvers(), withResolvers()];
    const { receiver } = receiverOf();
    receiver.onAny(() => {
      begun.resolve();
      return left.promise;
    });
    const stream = await sentTo(receiver, { [signatureHeader]: signature }, messageBody);
    await begun.promise;
    const drained = receiver.drain();
    stream.close();
    await once(stream, 'close');
    left.resolve();

    expect(await drained).toEqual([]);
  });

  async function sentTo(receiver: ReceiverCore<unknown>, headers: OutgoingHttpHeaders, body: string) {
    server = createHttp2Server(toNodeHandler(receiver));
    session = connect(`http://127.0.0.1:${await portOf(server)}`);
    return session.request({ ':method': 'POST', ':path': '/webhooks', ...headers }).end(body);
  }
});

test('a body that a middleware has held up is let go on', async () => {
  const handle = toNodeHandler(receiverOf().receiver);
  const listener: RequestListener = (request, response) => {
    request.pause(); // to look up something before anybody reads, say
    void handle(request, response);
  };

  expect(await seenAt(listener, delivery())).toBe(204);
});

describe('a stream that gives text in place of bytes is a fault of the set-up', () => {
  const parsed = [{ reason: 'parsed', message: expect.stringContaining('text') }];

  // As careless bridges have it.
  test.each([
    ['text', [messageBody]],
    ['nothing, ahead of bytes', [undefined, Buffer.from(messageBody)]],
  ])('in a Fetch request: %s', async (_, chunks) => {
    const { receiver, told } = receiverOf();

    expect((await toFetchHandler(receiver)(signedRequest(streamOf(chunks)))).status).toBe(500);
    expect(told).toMatchObject(parsed);
  });

  test('in a request of node:http', async () => {
    const { receiver, told } = receiverOf();
    const handle = toNodeHandler(receiver);
    const listener: RequestListener = (request, response) => {
      const decoded = new PassThrough({ objectMode: true });
      request.on('data', (chunk: Buffer) => decoded.write(chunk.toString())).on('end', () => decoded.end());
      void handle(Object.assign(decoded, { method: request.method, headers: request.headers }), response);
    };

    expect(await seenAt(listener, delivery())).toBe(500);
    expect(told).toMatchObject(parsed);
  });
});

test('a body of many small chunks takes the memory of its bytes, and not of its chunks', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
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

  expect((await toFetchHandler(receiverOf().receiver)(signedRequest(body))).status).toBe(204);
  expect(alive[0]).toBeLessThan(bytes.length / 10);
});

describe('what other middleware leaves', () => {
  test("Hono's bodyLimit, which reads a body without a length and hands on another", async () => {
    const { receiver, handled } = receiverOf();
    const app = new Hono()
      .use(bodyLimit({ maxSize: maxBodyBytes }))
      .all('/webhooks', toHonoHandler(receiver));
    const statusOf = async (text: string, sent: string) =>
      (await app.request(signedRequest(new Blob([text]).stream(), { [signatureHeader]: sent }))).status;

    expect(await statusOf(messageBody, signature)).toBe(204);
    expect(await statusOf(messageBody, wrongSignature)).toBe(401);
    expect(await statusOf(' '.repeat(2 * maxBodyBytes), wrongSignature)).toBe(413);
    expect(handled).toHaveLength(1);
  });

  test('a body that Hono keeps for the next reader of it: it was read', async () => {
    const app = new Hono().use(async (context, next) => {
      await context.req.text();
      await next();
    });
    const { receiver, told } = receiverOf();
    app.all('/webhooks', toHonoHandler(receiver));

    expect((await app.request(signedRequest())).status).toBe(500);
    expect(told).toMatchObject([{ reason: 'consumed' }]);
  });
});

const mebibyte = 1024 * 1024;
const spaces = Buffer.alloc(16 * mebibyte, ' ');

test('of large bodies that strangers send slowly the largest is refused, and a delivery is handled', async () => {
  const { receiver, told, handled } = recordingReceiver({
    maxBodyBytes: 20 * mebibyte,
    clock: new ManualClock(), // no deadline passes, however long the bodies take
  });
  const server = createServer(toNodeHandler(receiver));
  const port = await portOf(server);
  const responses: string[] = [];
  const senders = Array.from({ length: 4 }, () =>
    connectSocket({ port, host: '127.0.0.1' }).on('data', (text) => responses.push(String(text))),
  );
  onTestFinished(() => {
    for (const sender of senders) sender.destroy();
    server.close();
  });
  for (const [index, sender] of senders.entries()) {
    const length = 15 * mebibyte + index;
    sender.write(
      `POST / HTTP/1.1\r\nHost: a\r\n${signatureHeader}: ${wrongSignature}\r\nContent-Length: ${length}\r\n\r\n`,
    );
    sender.write(spaces.subarray(0, length - 1)); // and then nothing more
  }
  await until('a refusal', () => responses.length > 0);
  expect(await rawExchange(`http://127.0.0.1:${port}/`, delivery())).toBe(204);
  expect(responses).toEqual([expect.stringMatching(/^HTTP\/1\.1 503 .*Retry-After: 5\r\n/s)]);
  expect(told).toMatchObject([{ name: 'RefusedRequestError', reason: 'overloaded' }]);
  expect(handled).toHaveLength(1);
});

/** The status of a body that comes in these pieces and whose length nobody says. */
const adapters: Readonly<Record<string, (limit: number, chunks: Sent['chunks']) => Promise<unknown>>> = {
  'node:http': (maxBodyBytes, chunks) =>
    seenAt(toNodeHandler(recordingReceiver({ maxBodyBytes }).receiver), {
      ...delivery(),
      chunks,
      framing: 'chunked',
    }),
  async Fetch(maxBodyBytes, chunks) {
    const handle = toFetchHandler(recordingReceiver({ maxBodyBytes }).receiver);
    return (await handle(signedRequest(streamOf(chunks)))).status;
  },
};

describe.each(Object.entries(adapters))('maxBodyBytes in %s', (_, statusOf) => {
  test.each([
    ['one piece', [bytes]],
    ['two pieces', splitInsideCodePoint(messageBody)],
    ['single bytes', Array.from(bytes, (byte) => Uint8Array.of(byte))],
  ])('takes a body of so many bytes, and no byte more, in %s', async (_pieces, chunks) => {
    expect(await statusOf(bytes.length, chunks)).toBe(204);
    expect(await statusOf(bytes.length - 1, chunks)).toBe(413);
  });
});
