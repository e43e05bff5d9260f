// A receiver in the framework that the first argument names. Told to end, it drains while a delivery is being handled, and exits.
import { createServer, type Server } from 'node:http';
import { serve } from '@hono/node-server';
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

const handling = withResolvers();
const receiver = createWebhookReceiver<unknown>({ secret, tolerance: false }).onAny(() => {
  process.send?.('handling');
  return handling.promise;
});

/** Starts the framework at a free port, and tells its port. */
const frameworks: Readonly<Record<string, (listens: (port: number) => void) => unknown>> = {
  'node:http': (listens) => listening(createServer(toNodeHandler(receiver)).listen(0, '127.0.0.1'), listens),
  Express: (listens) => listening(express().use(toNodeHandler(receiver)).listen(0, '127.0.0.1'), listens),
  Koa: (listens) => {
    const app = new Koa();
    app.use(async (_context, next) => await next());
    listening(app.use(toKoaMiddleware(receiver)).listen(0, '127.0.0.1'), listens);
  },
  async Fastify(listens) {
    const app = fastify();
    app.addHook('onSend', () => new Promise(setImmediate));
    await app.register(toFastifyPlugin(receiver));
    listens(Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port));
  },
  Hono(listens) {
    const app = new Hono().use(async (_context, next) => {
      await next();
      await new Promise(setImmediate);
    });
    const { fetch } = app.all('/', toHonoHandler(receiver));
    serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => listens(port));
  },
  'a Fetch handler'(listens) {
    const handle = toFetchHandler(receiver);
    const fetch = async (request: Request) => await handle(request);
    serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => listens(port));
  },
};

function listening(server: Server, listens: (port: number) => void): void {
  server.once('listening', () => {
    const address = server.address();
    if (typeof address === 'object' && address !== null) listens(address.port);
  });
}

await frameworks[process.argv[2] ?? '']?.((port) => process.send?.(port));
process.once('message', async () => {
  const drained = receiver.drain();
  handling.resolve();
  await drained;
  process.exit(0);
});
