import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import Koa from 'koa';
import {
  type NodeRequest,
  signatureHeader,
  signWebhook,
  toKoaMiddleware,
  toNodeHandler,
} from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import { messageBody, secret } from '../../delivery-body.js';
import { seenAt } from '../support/environment.js';
import { maxBodyBytes } from '../support/faults.js';
import { recordingReceiver } from '../support/receiver.js';
import { delivery, type Sent, withSignatures } from '../support/sent.js';

const receiverOf = () => recordingReceiver({ maxBodyBytes });

/** What the adapter on node:http returns and tells behind something that has had the request before. */
async function seenBehind(before: (request: IncomingMessage) => unknown, sent: Sent = delivery()) {
  const { receiver, told, handled } = receiverOf();
  const handle = toNodeHandler(receiver);
  const status = await seenAt(async (request, response) => {
    await before(request);
    await handle(request, response);
  }, sent);
  return { status, told, handled };
}

/** Reads the body, and keeps this in its place. */
const keeping = (kept: object) => async (request: IncomingMessage) => {
  for await (const _ of request);
  Object.assign(request, kept);
};

test.each<[string, (request: IncomingMessage) => unknown]>([
  ['decodes', (request) => request.setEncoding('latin1')],
  [
    'somebody has begun to read',
    (request) => new Promise<void>((resolve) => request.once('data', () => request.pause() && resolve())),
  ],
])('a stream that %s is refused', async (_, before) => {
  expect(await seenBehind(before)).toMatchObject({ status: 500, told: [{ reason: 'consumed' }] });
});

describe('bytes that were kept', () => {
  test('are used beside a parsed body', async () => {
    const kept = { rawBody: Buffer.from(messageBody), body: JSON.parse(messageBody) };

    expect(await seenBehind(keeping(kept))).toMatchObject({ status: 204 });
  });

  test.each([
    ['Koa', (context: Koa.Context) => [context.request, context.req]],
    ['Node', (context: Koa.Context) => [context.req, context.request]],
  ])('are used from the request of %s, though the other request has a parsed body', async (_, requestsOf) => {
    const app = new Koa().use(async (context, next) => {
      for await (const _chunk of context.req);
      const [ofBytes, ofParsed] = requestsOf(context);
      Object.assign(Object(ofBytes), { body: Buffer.from(messageBody) });
      Object.assign(Object(ofParsed), { body: JSON.parse(messageBody) });
      await next();
    });

    expect(await seenAt(app.use(toKoaMiddleware(receiverOf().receiver)).callback(), delivery())).toBe(204);
  });

  test('are used in a request that is no stream, as tests and platforms make them', async () => {
    const request = Object.assign(new EventEmitter(), {
      method: 'POST',
      headers: { [signatureHeader.toLowerCase()]: signWebhook(messageBody, secret) },
      body: new TextEncoder().encode(messageBody),
    });
    const response = { statusCode: 0, headersSent: false, destroyed: false, setHeader() {}, end() {} };

    // Less than the type asks for, which is what such requests are.
    await toNodeHandler(receiverOf().receiver)(request as unknown as NodeRequest, response);

    expect(response.statusCode).toBe(204);
  });
});

describe('text that was kept', () => {
  const seenOf = (rawBody: string, sent?: Sent) => seenBehind(keeping({ rawBody }), sent);

  test.each([
    ['x'.repeat(maxBodyBytes + 1), 413],
    ['ü'.repeat(maxBodyBytes / 2 + 1), 413],
    ['ü'.repeat(maxBodyBytes / 2), 401],
  ])('is too large by its bytes', async (text, status) => {
    expect(await seenOf(text)).toMatchObject({ status });
  });

  test('is not parsed itself: the event comes from the bytes that were verified', async () => {
    const text = messageBody.replace('Grüße', '\uD83D'); // half of a surrogate pair encodes as U+FFFD
    const signature = signWebhook(new TextEncoder().encode(text), secret);
    const { handled } = await seenOf(text, withSignatures(delivery(), signature));

    expect(handled[0]).toMatch(/^\uFFFD/);
  });
});
