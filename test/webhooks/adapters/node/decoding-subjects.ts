import express from 'express';
import fastify from 'fastify';
import fastifyRawBody from 'fastify-raw-body';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { toFastifyHandler, toKoaMiddleware, toNodeHandler } from 'messaging-automation/webhooks';
import { maxBodyBytes } from '../support/faults.js';
import { listeningSite, type Subject } from '../support/subject.js';

// Frameworks set up as many are: something ahead of the receiver decodes the body and keeps it as text.

/** What a parser of the framework refuses by itself, before the receiver has the request. */
const refusedByParser = { 'aborted upload': '–' } as const;

const fastifyRawBodyText: Subject = {
  name: 'fastify-raw-body',
  differs: {
    ...refusedByParser,
    // Fastify's own parser has read it as JSON before the receiver is asked.
    gzip: '400',
    // It keeps the body beside what Fastify's own parser makes of it.
    'body already parsed': '2xx',
    'parsed, bad signature': '401',
  },
  async open(receiver, arrangement) {
    if (arrangement === 'consumed') return undefined;
    const app = fastify({ bodyLimit: maxBodyBytes });
    await app.register(fastifyRawBody);
    app.all('/webhooks', toFastifyHandler(receiver));
    await app.ready();
    return listeningSite((request, response) => app.routing(request, response));
  },
};

const fastifyTextParser: Subject = {
  name: "Fastify, parseAs: 'string'",
  differs: refusedByParser,
  async open(receiver, arrangement) {
    if (arrangement !== 'plain') return undefined;
    const app = fastify({ bodyLimit: maxBodyBytes });
    app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) =>
      done(null, body),
    );
    app.all('/webhooks', toFastifyHandler(receiver));
    await app.ready();
    return listeningSite((request, response) => app.routing(request, response));
  },
};

const koaBodyParser: Subject = {
  name: 'koa-bodyparser',
  differs: refusedByParser,
  async open(receiver, arrangement) {
    if (arrangement !== 'plain') return undefined;
    const app = new Koa();
    app.silent = true; // It prints every sender that breaks off.
    app.use(bodyParser({ jsonLimit: maxBodyBytes }));
    app.use(toKoaMiddleware(receiver));
    return listeningSite(app.callback());
  },
};

const expressVerify: Subject = {
  name: 'Express, verify',
  differs: refusedByParser,
  async open(receiver, arrangement) {
    if (arrangement !== 'plain') return undefined;
    const app = express().set('env', 'test'); // It prints every error otherwise.
    app.use(
      express.json({
        limit: maxBodyBytes,
        inflate: false,
        verify: (request, _response, bytes) => void Object.assign(request, { rawBody: bytes.toString() }),
      }),
    );
    app.use('/webhooks', toNodeHandler(receiver));
    return listeningSite(app);
  },
};

const expressText: Subject = {
  name: 'Express, text',
  differs: refusedByParser,
  async open(receiver, arrangement) {
    if (arrangement !== 'plain') return undefined;
    const app = express().set('env', 'test');
    app.use(express.text({ type: () => true, limit: maxBodyBytes, inflate: false }), toNodeHandler(receiver));
    return listeningSite(app);
  },
};

/** What hands over bodies as text, in the real packages. */
export const decodingSubjects: readonly Subject[] = [
  fastifyRawBodyText,
  fastifyTextParser,
  koaBodyParser,
  expressVerify,
  expressText,
];
