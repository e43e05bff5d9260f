import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import express from 'express';
import fastify, { type FastifyInstance } from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import {
  type ReceiverCore,
  toFastifyPlugin,
  toHonoHandler,
  toKoaMiddleware,
  toNodeHandler,
} from 'messaging-automation/webhooks';
import { onHonoServer } from '../fetch/environments.js';
import { type BodyState, listening } from '../support/environment.js';

/** The listener of a Fastify application, once its plugins are there. */
export async function fastifyListener(app: FastifyInstance): Promise<RequestListener> {
  await app.ready();
  return (request, response) => app.routing(request, response);
}

/** Reads a body as a logging middleware might, and keeps nothing of it. */
export async function drain(request: IncomingMessage): Promise<void> {
  request.resume();
  if (!request.readableEnded) await once(request, 'end');
}

/** Reads a body and parses it, as in frameworks without a parser of their own. */
export async function parse(request: IncomingMessage): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

/** Brings the body of a request of node:http into a state. */
export async function prepare(request: IncomingMessage, body: BodyState): Promise<void> {
  if (body === 'consumed') await drain(request);
  if (body === 'parsed') Object.assign(request, { body: await parse(request) });
}

export const nodeHttp = listening(
  'node:http',
  { fix: 'node:http, Connect, polka and h3: let nothing before it read the request' },
  (receiver, body) => {
    const handle = toNodeHandler(receiver);
    return async (request, response) => {
      await prepare(request, body);
      await handle(request, response);
    };
  },
);

/** A receiver at the path /webhooks of each framework on node:http, and of Hono's server. */
export const listeners: Readonly<
  Record<string, (receiver: ReceiverCore<unknown>) => RequestListener | Promise<RequestListener>>
> = {
  'node:http': (receiver) => toNodeHandler(receiver),
  Express: (receiver) => express().use('/webhooks', toNodeHandler(receiver)),
  Koa: (receiver) => new Koa().use(toKoaMiddleware(receiver)).callback(),
  async Fastify(receiver) {
    const app = fastify();
    await app.register(toFastifyPlugin(receiver), { prefix: '/webhooks' });
    return fastifyListener(app);
  },
  Hono: (receiver) => onHonoServer(new Hono().all('/webhooks', toHonoHandler(receiver)).fetch),
};
