import type { IncomingMessage, RequestListener } from 'node:http';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import {
  type ReceiverCore,
  toFastifyPlugin,
  toFetchHandler,
  toHonoHandler,
  toKoaMiddleware,
  toNodeHandler,
} from 'messaging-automation/webhooks';
import { bridged, fixOfFetch, onHonoServer } from '../fetch/environments.js';
import { fastifyListener } from '../node/node-http.js';
import type { Outcome } from './readers.js';

/** Goes on once a reader is done: in the same turn if it has nothing to wait for, because a body that flows does not wait. */
export function afterReading<Result>(
  reading: unknown,
  next: () => Result | Promise<Result>,
): Result | Promise<Result> {
  if (!(reading instanceof Promise)) return next();
  const done = reading.then(() => next());
  done.catch(() => {}); // a reader that is still at work when its test ends
  return done;
}

/** A receiver in a framework, with a reader ahead of it. */
export interface ReadEnvironment<Request> {
  readonly name: string;
  /** The framework's own fix, which the error names. */
  readonly fix: string;
  /** Where this framework has another outcome, by the name of the reader. `–` leaves the reader out. */
  readonly differs?: Readonly<Record<string, Outcome | '–'>>;
  listenerOf(
    receiver: ReceiverCore<unknown>,
    read: (request: Request) => unknown,
  ): RequestListener | Promise<RequestListener>;
}

/** A version of Express. */
export const ofExpress = (name: string, framework: typeof express): ReadEnvironment<IncomingMessage> => ({
  name,
  fix: 'express.raw({ type: () => true })',
  listenerOf: (receiver, read) =>
    framework()
      .use((request, _response, next) => void afterReading(read(request), next))
      .use('/webhooks', toNodeHandler(receiver)),
});

export const nodeHttp: ReadEnvironment<IncomingMessage> = {
  name: 'node:http',
  fix: 'let nothing before it read the request',
  listenerOf(receiver, read) {
    const handle = toNodeHandler(receiver);
    return (request, response) => void afterReading(read(request), () => handle(request, response));
  },
};

/** Hono on Node, where something has read the request that its own is made of. */
export const honoStream: ReadEnvironment<IncomingMessage> = {
  name: 'Hono, of a request of Node',
  fix: 'c.req.json()',
  // Its own stream begins a turn later, and misses what flows until then.
  differs: {
    'listens from the start': 'consumed',
    "listens with once('data') from the start": 'consumed',
    'pauses at its first piece from the start': 'consumed',
    'is piped from the start to something that takes one piece': 'consumed',
    // Nothing tells it from a body of which a copy is being read.
    'listens, and pauses a turn later': '–',
    'takes one step of an iteration': '–',
    'decodes it': '–', // named as text
  },
  listenerOf: (receiver, read) =>
    onHonoServer(
      new Hono<{ Bindings: { incoming: IncomingMessage } }>()
        .use(async (context, next) => await afterReading(read(context.env.incoming), next))
        .all('/webhooks', toHonoHandler(receiver)).fetch,
    ),
};

/** The frameworks whose requests are those of node:http. */
export const environmentsOfStream: readonly ReadEnvironment<IncomingMessage>[] = [
  ofExpress('Express 5', express),
  {
    name: 'Fastify',
    fix: 'toFastifyPlugin(receiver)',
    async listenerOf(receiver, read) {
      const app = fastify();
      app.addHook('onRequest', ({ raw }, _reply, done) => void afterReading(read(raw), () => done()));
      await app.register(toFastifyPlugin(receiver), { prefix: '/webhooks' });
      return fastifyListener(app);
    },
  },
  {
    name: 'Koa',
    fix: 'koa-bodyparser',
    listenerOf(receiver, read) {
      const app = new Koa();
      app.silent = true; // It prints every sender that breaks off.
      app.use(({ req }, next) => afterReading(read(req), next));
      return app.use(toKoaMiddleware(receiver)).callback();
    },
  },
];

export const hono: ReadEnvironment<Request> = {
  name: 'Hono',
  fix: 'c.req.json()',
  listenerOf: (receiver, read) =>
    onHonoServer(
      new Hono()
        .use(async (context, next) => await afterReading(read(context.req.raw), next))
        .all('/webhooks', toHonoHandler(receiver)).fetch,
    ),
};

const fetchHandler = (receiver: ReceiverCore<unknown>, read: (request: Request) => unknown) => {
  const handle = toFetchHandler(receiver);
  return async (request: Request) => afterReading(read(request), () => handle(request));
};

export const fetchOnNode: ReadEnvironment<Request> = {
  name: 'Fetch',
  fix: fixOfFetch,
  listenerOf: (receiver, read) => onHonoServer(fetchHandler(receiver, read)),
};

export const fetchBridged: ReadEnvironment<Request> = {
  name: 'Fetch, bridged',
  fix: fixOfFetch,
  listenerOf: (receiver, read) => bridged(fetchHandler(receiver, read)),
};
