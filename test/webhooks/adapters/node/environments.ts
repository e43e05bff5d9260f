import 'reflect-metadata';
import type { RequestListener } from 'node:http';
import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express from 'express';
import fastify from 'fastify';
import Koa from 'koa';
import {
  type ReceiverCore,
  toFastifyHandler,
  toFastifyPlugin,
  toKoaMiddleware,
  toNodeHandler,
} from 'messaging-automation/webhooks';
import { type Environment, listening } from '../support/environment.js';
import { drain, fastifyListener, nodeHttp, parse } from './node-http.js';

/** A version of Express. */
export const expressOf = (name: string, framework: typeof express) =>
  listening(name, { fix: 'express.raw({ type: () => true })' }, (receiver, body) => {
    const app = framework();
    if (body === 'parsed') app.use(framework.json());
    if (body === 'consumed') app.use((request, _response, next) => void drain(request).then(next));
    return app.use('/webhooks', toNodeHandler(receiver));
  });

const expressRaw = listening('Express, raw', { fix: 'express.raw' }, (receiver, body) => {
  if (body !== 'plain') return undefined;
  const raw = express.raw({ type: () => true, inflate: false });
  return express().use('/webhooks', raw, toNodeHandler(receiver));
});

/** A Nest application without controllers: a middleware of a module runs behind Nest's own body parser. */
async function nest(
  receiver: ReceiverCore<unknown>,
  rawBody: boolean,
  ahead: boolean,
): Promise<RequestListener> {
  class AppModule implements NestModule {
    configure(consumer: MiddlewareConsumer): void {
      if (!ahead) consumer.apply(toNodeHandler(receiver)).forRoutes('webhooks');
    }
  }
  Module({})(AppModule);
  const app = await NestFactory.create<NestExpressApplication>(AppModule, { rawBody, logger: false });
  if (ahead) app.use('/webhooks', toNodeHandler(receiver));
  await app.init();
  return app.getHttpAdapter().getInstance();
}

const nestRawBody = listening(
  'NestJS, rawBody',
  // Nest parses as ever, and keeps the bytes beside it.
  { fix: '{ rawBody: true }', differs: { 'body already parsed': '204', 'parsed, bad signature': '401' } },
  (receiver, body) => (body === 'consumed' ? undefined : nest(receiver, true, false)),
);

const nestAhead = listening('NestJS, app.use', { fix: '{ rawBody: true }' }, (receiver, body) =>
  body === 'consumed' ? undefined : nest(receiver, false, body === 'plain'),
);

const fastifyPlugin = listening(
  'Fastify plugin',
  { fix: 'toFastifyPlugin(receiver)' },
  async (receiver, body) => {
    if (body === 'parsed') return undefined;
    const app = fastify();
    if (body === 'consumed') app.addHook('onRequest', (request) => drain(request.raw));
    await app.register(toFastifyPlugin(receiver), { prefix: '/webhooks' });
    return fastifyListener(app);
  },
);

const fastifyHandler = listening(
  'Fastify handler',
  { fix: 'toFastifyPlugin(receiver)' },
  (receiver, body) => {
    if (body === 'consumed') return undefined;
    const app = fastify();
    if (body === 'plain') {
      app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) =>
        done(null, bytes),
      );
    }
    app.all('/webhooks', toFastifyHandler(receiver));
    return fastifyListener(app);
  },
);

const koa = listening('Koa', { fix: 'koa-bodyparser' }, (receiver, body) => {
  const app = new Koa();
  app.silent = true; // It prints every sender that breaks off.
  app.use(async (context, next) => {
    if (body === 'consumed') await drain(context.req);
    if (body === 'parsed') Object.assign(context.request, { body: await parse(context.req) });
    await next();
  });
  return app.use(toKoaMiddleware(receiver)).callback();
});

/** Every adapter of the Node family, in each framework that it is for. `test/compat` has those that most programs do without. */
export const nodeEnvironments: readonly Environment[] = [
  nodeHttp,
  expressOf('Express 5', express),
  expressRaw,
  nestRawBody,
  nestAhead,
  fastifyPlugin,
  fastifyHandler,
  koa,
];
