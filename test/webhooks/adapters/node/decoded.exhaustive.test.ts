import express from 'express';
import fastify from 'fastify';
import fastifyRawBody from 'fastify-raw-body';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { toFastifyHandler, toKoaMiddleware, toNodeHandler } from 'messaging-automation/webhooks';
import { listening } from '../support/environment.js';
import { maxBodyBytes } from '../support/faults.js';
import { describeMatrix } from '../support/matrix.js';
import { fastifyListener } from './environments.js';

// Frameworks set up as many are: something ahead of the receiver decodes the body and keeps it as text.

/** What a parser refuses by itself, before the receiver has the request, and what is lost to decoding. */
const decoding = { 'aborted upload': '–', 'not UTF-8': '401' } as const;

const fastifyRawBodyText = listening(
  'fastify-raw-body',
  {
    fix: 'toFastifyPlugin(receiver)',
    fixForText: 'fastify-raw-body with encoding: false',
    differs: {
      ...decoding,
      // Fastify's own parser has read it as JSON before the receiver is asked.
      gzip: '400',
      // It keeps the body beside what Fastify's own parser makes of it.
      'body already parsed': '204',
      'parsed, bad signature': '401',
    },
  },
  async (receiver, body) => {
    if (body === 'consumed') return undefined;
    const app = fastify({ bodyLimit: maxBodyBytes });
    await app.register(fastifyRawBody);
    app.all('/webhooks', toFastifyHandler(receiver));
    return fastifyListener(app);
  },
);

const fastifyTextParser = listening(
  "Fastify, parseAs: 'string'",
  { fix: 'toFastifyPlugin(receiver)', fixForText: "parseAs: 'buffer'", differs: decoding },
  (receiver, body) => {
    if (body !== 'plain') return undefined;
    const app = fastify({ bodyLimit: maxBodyBytes });
    app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) =>
      done(null, text),
    );
    app.all('/webhooks', toFastifyHandler(receiver));
    return fastifyListener(app);
  },
);

const koaBodyParser = listening(
  'koa-bodyparser',
  { fix: 'koa-bodyparser', fixForText: 'context.disableBodyParser = true', differs: decoding },
  (receiver, body) => {
    if (body !== 'plain') return undefined;
    const app = new Koa();
    app.silent = true; // It prints every sender that breaks off.
    return app
      .use(bodyParser({ jsonLimit: maxBodyBytes }))
      .use(toKoaMiddleware(receiver))
      .callback();
  },
);

const expressVerify = listening(
  'Express, verify',
  { fix: 'express.raw', fixForText: 'request.rawBody = bytes', differs: decoding },
  (receiver, body) => {
    if (body !== 'plain') return undefined;
    const keepText = (request: object, _response: unknown, bytes: Buffer) =>
      void Object.assign(request, { rawBody: bytes.toString() });
    return express()
      .set('env', 'test') // It prints every error otherwise.
      .use(express.json({ limit: maxBodyBytes, inflate: false, verify: keepText }))
      .use('/webhooks', toNodeHandler(receiver));
  },
);

const expressText = listening(
  'Express, text',
  { fix: 'express.raw', fixForText: 'express.raw({ type: () => true })', differs: decoding },
  (receiver, body) => {
    if (body !== 'plain') return undefined;
    const text = express.text({ type: () => true, limit: maxBodyBytes, inflate: false });
    return express().set('env', 'test').use(text, toNodeHandler(receiver));
  },
);

describeMatrix('Adapter × fault: bodies that came as text', [
  fastifyRawBodyText,
  fastifyTextParser,
  koaBodyParser,
  expressVerify,
  expressText,
]);
