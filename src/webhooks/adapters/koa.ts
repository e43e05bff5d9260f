import type { ReceiverCore } from '../receiver/exchange.js';
import { checkReceiver } from './check-receiver.js';
import { receiveByNode } from './node.js';
import type { NodeRequest, WrittenResponse } from './node-exchange.js';

/**
 * The part of Koa's context that the adapter reads and writes.
 */
export type KoaContext = {
  readonly req: NodeRequest;
  /** The response of `node:http`. */
  readonly res?: WrittenResponse;
  /** Koa's own request. Koa's body parsers add the parsed body to it. */
  readonly request: object;
  readonly headerSent: boolean;
  readonly writable: boolean;
  status: number;
  body: unknown;
  /** Adds headers to the response. */
  set(headers: { readonly [name: string]: string }): void;
};

/**
 * Converts a receiver into a Koa middleware. Mount it before body parsers, and behind a router or a check of `context.path`, because it
 * responds to every request that reaches it.
 *
 * A `secret` function and every event handler receive Koa's context.
 *
 * @param receiver - The receiver from `createWebhookReceiver`.
 * @returns A middleware that responds to every request and never rejects.
 *
 * @example
 * ```ts
 * import Koa from 'koa';
 * import { createWebhookReceiver, toKoaMiddleware } from 'messaging-automation/webhooks';
 *
 * const receiver = createWebhookReceiver({ secret: 'whsec_example' });
 * receiver.on('message.received', (event) => console.log(event.data.body));
 *
 * const receive = toKoaMiddleware(receiver);
 * const app = new Koa();
 * app.use((context, next) => (context.path === '/webhooks' ? receive(context) : next()));
 * ```
 */
export function toKoaMiddleware<Context extends KoaContext>(
  receiver: ReceiverCore<Context>,
): (context: Context) => Promise<void> {
  checkReceiver('toKoaMiddleware', receiver);
  return async (context) => {
    const { req, request } = context;
    const response = await receiveByNode(receiver, {
      request: context,
      stream: req,
      keepers: [req, request],
      response: context.res,
      fix,
    });
    if (context.headerSent || !context.writable) return;
    context.status = response.status;
    context.body = response.body;
    context.set(response.headers);
  };
}

const fix =
  'Koa: register the receiver before koa-body, koa-bodyparser and any other middleware that reads the body, exclude its path, or ' +
  'disable koa-bodyparser there with context.disableBodyParser = true.';
