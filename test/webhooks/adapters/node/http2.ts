import { createServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import fastify from 'fastify';
import Koa from 'koa';
import {
  type ReceiverCore,
  toFastifyPlugin,
  toKoaMiddleware,
  toNodeHandler,
} from 'messaging-automation/webhooks';

type Listener = (request: Http2ServerRequest, response: Http2ServerResponse) => unknown;

/** A receiver at the path /webhooks of each framework on node:http2. */
export const listenersOfHttp2: Readonly<
  Record<string, (receiver: ReceiverCore<unknown>) => Listener | Promise<Listener>>
> = {
  'node:http2': (receiver) => toNodeHandler(receiver),
  Koa: (receiver) => new Koa().use(toKoaMiddleware(receiver)).callback(),
  async Fastify(receiver) {
    let listener: Listener = () => undefined;
    const app = fastify({
      http2: true,
      serverFactory: (handler) => {
        listener = handler;
        return createServer();
      },
    });
    await app.register(toFastifyPlugin(receiver), { prefix: '/webhooks' });
    await app.ready();
    return listener;
  },
};
