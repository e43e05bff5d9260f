// A receiver in the framework that the first argument names. Told to end, it drains while a delivery is being handled, and exits.
import { createServer, type RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import {
  createWebhookReceiver,
  toFastifyPlugin,
  toFetchHandler,
  toHonoHandler,
  toKoaMiddleware,
  toNodeHandler,
} from 'messaging-automation/webhooks';
import { withResolvers } from '../../../waiting.js';
import { secret } from '../../delivery-body.js';
import { fastifyListener } from '../node/node-http.js';
import { portOf } from '../support/environment.js';

const handling = withResolvers();
const receiver = createWebhookReceiver<unknown>({ secret, tolerance: false }).onAny(() => {
  process.send?.('handling');
  return handling.promise;
});

const frameworks: Readonly<Record<string, () => RequestListener | Promise<RequestListener>>> = {
  'node:http': () => toNodeHandler(receiver),
  Express: () => express().use(toNodeHandler(receiver)),
  Koa: () =>
    new Koa()
      .use(async (_context, next) => await next())
      .use(toKoaMiddleware(receiver))
      .callback(),
  async Fastify() {
    const app = fastify();
    app.addHook('onSend', () => new Promise(setImmediate));
    await app.register(toFastifyPlugin(receiver));
    return fastifyListener(app);
  },
  Hono() {
    const app = new Hono().use(async (_context, next) => {
      await next();
      await new Promise(setImmediate);
    });
    return getRequestListener(app.all('/', toHonoHandler(receiver)).fetch);
  },
  'a Fetch handler'() {
    const handle = toFetchHandler(receiver);
    return getRequestListener((request) => handle(request));
  },
};

const listener = await frameworks[process.argv[2] ?? '']?.();
process.send?.(await portOf(createServer(listener)));
process.once('message', async () => {
  const drained = receiver.drain();
  handling.resolve();
  await drained;
  process.exit(0);
});
