import { once } from 'node:events';
import { type RequestListener, request } from 'node:http';
import express from 'express';
import fastify from 'fastify';
import fastifyRawBody from 'fastify-raw-body';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import {
  type ReceiverCore,
  toFastifyHandler,
  toFastifyPlugin,
  toKoaMiddleware,
  toNodeHandler,
} from 'messaging-automation/webhooks';
import { expect, onTestFinished, test } from 'vitest';
import { seenAt } from '../support/environment.js';
import { recordingReceiver } from '../support/receiver.js';
import { delivery, withSignatures, wrongSignature } from '../support/sent.js';
import { fastifyListener } from './node-http.js';

const keepText = (request: object, _response: unknown, bytes: Buffer) =>
  void Object.assign(request, { rawBody: bytes.toString() });

// Frameworks set up as many are: something ahead of the receiver decodes the body and keeps it as text.
test.each<[string, string, (receiver: ReceiverCore<unknown>) => RequestListener | Promise<RequestListener>]>([
  [
    'fastify-raw-body',
    'fastify-raw-body with encoding: false',
    async (receiver) => {
      const app = fastify();
      await app.register(fastifyRawBody);
      app.all('/webhooks', toFastifyHandler(receiver));
      return fastifyListener(app);
    },
  ],
  [
    "Fastify with parseAs: 'string'",
    "parseAs: 'buffer'",
    (receiver) => {
      const app = fastify();
      app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) =>
        done(null, text),
      );
      app.all('/webhooks', toFastifyHandler(receiver));
      return fastifyListener(app);
    },
  ],
  [
    'koa-bodyparser',
    'context.disableBodyParser = true',
    (receiver) => new Koa().use(bodyParser()).use(toKoaMiddleware(receiver)).callback(),
  ],
  [
    'express.json with verify',
    'request.rawBody = bytes',
    (receiver) => express().use(express.json({ verify: keepText }), toNodeHandler(receiver)),
  ],
  [
    'express.text',
    'express.raw({ type: () => true })',
    (receiver) => express().use(express.text({ type: () => true }), toNodeHandler(receiver)),
  ],
])(
  'text that %s kept is verified, and a mismatch names the option that keeps the bytes',
  async (_, fix, listenerOf) => {
    const { receiver, told, handled } = recordingReceiver();
    const listener = await listenerOf(receiver);

    expect(await seenAt(listener, delivery())).toBe(204);
    expect(await seenAt(listener, withSignatures(delivery(), wrongSignature))).toBe(401);
    expect(told).toMatchObject([{ message: expect.stringContaining(fix) }]);
    expect(handled).toHaveLength(1);
  },
);

test('a body that fastify-raw-body has not read to its end is awaited, and its bytes are used', async () => {
  const { receiver, handled } = recordingReceiver();
  const app = fastify();
  onTestFinished(() => app.close());
  await app.register(fastifyRawBody, { encoding: false });
  const { headers, chunks } = delivery();
  const [bytes = new Uint8Array()] = chunks;
  app.addHook('preHandler', async () => void setImmediate(() => sender.end(bytes.subarray(10))));
  await app.register(toFastifyPlugin(receiver));
  const sender = request(await app.listen({ port: 0, host: '127.0.0.1' }), {
    method: 'POST',
    headers: { ...Object.fromEntries(headers), 'Content-Length': bytes.length },
  });
  sender.write(bytes.subarray(0, 10)); // goes with the head
  const [response] = await once(sender, 'response');

  expect(response.statusCode).toBe(204);
  expect(handled).toHaveLength(1);
});
