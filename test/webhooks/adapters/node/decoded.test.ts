import express from 'express';
import fastify from 'fastify';
import { toFastifyHandler, toNodeHandler } from 'messaging-automation/webhooks';
import { describeDecoded } from './decoded.js';
import { fastifyListener } from './node-http.js';

const keepText = (request: object, _response: unknown, bytes: Buffer) =>
  void Object.assign(request, { rawBody: bytes.toString() });

describeDecoded([
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
    'express.json with verify',
    'request.rawBody = bytes',
    (receiver) => express().use(express.json({ verify: keepText }), toNodeHandler(receiver)),
  ],
  [
    'express.text',
    'express.raw({ type: () => true })',
    (receiver) => express().use(express.text({ type: () => true }), toNodeHandler(receiver)),
  ],
]);
