import type { RequestListener } from 'node:http';
import express from 'express';
import fastify from 'fastify';
import fastifyRawBody from 'fastify-raw-body';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import {
  type ReceiverCore,
  toFastifyHandler,
  toKoaMiddleware,
  toNodeHandler,
} from 'messaging-automation/webhooks';
import { expect, test } from 'vitest';
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
