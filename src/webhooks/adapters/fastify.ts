import type { ReceiverCore } from '../receiver/exchange.js';
import { checkReceiver } from './check-receiver.js';
import { receiveByNode } from './node.js';
import type { NodeRequest, WrittenResponse } from './node-exchange.js';

/**
 * The part of Fastify's request that the adapter reads.
 */
export type FastifyWebhookRequest = {
  readonly raw: NodeRequest;
};

/**
 * The part of Fastify's reply that the adapter writes.
 */
export type FastifyWebhookReply = {
  readonly sent: boolean;
  /** The response of `node:http`. */
  readonly raw?: WrittenResponse;
  /** Sets the status. */
  code(status: number): unknown;
  /** Adds headers. */
  headers(headers: { readonly [name: string]: string }): unknown;
  /** Sends the response. */
  send(body: string): unknown;
};

/**
 * The part of a Fastify instance that the plugin configures.
 */
export type FastifyWebhookScope = {
  /** Removes all body parsers from this scope. */
  removeAllContentTypeParsers(): unknown;
  /** Adds the body parser of a content type. */
  addContentTypeParser(
    contentType: string,
    parser: (request: unknown, payload: unknown, done: (error: null) => void) => void,
  ): unknown;
  /** Adds a route for all methods of a path. */
  all(
    path: string,
    handler: (request: FastifyWebhookRequest, reply: FastifyWebhookReply) => Promise<unknown>,
  ): unknown;
};

/**
 * Converts a receiver into a Fastify plugin. Inside its prefix Fastify does not parse bodies, so the receiver gets the raw bytes.
 * Routes outside of the prefix do not change.
 *
 * @param receiver - The receiver from `createWebhookReceiver`.
 * @returns The plugin. It responds to every request under its prefix, whatever its method.
 *
 * @example
 * ```ts
 * import fastify from 'fastify';
 * import { createWebhookReceiver, toFastifyPlugin } from 'messaging-automation/webhooks';
 *
 * const receiver = createWebhookReceiver({ secret: 'whsec_example' });
 * receiver.on('message.received', (event) => console.log(event.data.body));
 *
 * const app = fastify();
 * await app.register(toFastifyPlugin(receiver), { prefix: '/webhooks' });
 * ```
 */
export function toFastifyPlugin(
  receiver: ReceiverCore<FastifyWebhookRequest>,
): (scope: FastifyWebhookScope) => Promise<void> {
  checkReceiver('toFastifyPlugin', receiver);
  const handle = toFastifyHandler(receiver);
  return async (scope) => {
    scope.removeAllContentTypeParsers();
    // Does not read the body. The receiver reads it, with its own limit.
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.all('/', handle);
  };
}

/**
 * Converts a receiver into the handler of a Fastify route that keeps the raw body. `toFastifyPlugin` is simpler. Use this function with
 * `addContentTypeParser(…, { parseAs: 'buffer' }, …)`, or with `fastify-raw-body`.
 *
 * @param receiver - The receiver from `createWebhookReceiver`.
 * @returns A handler that responds to every request and never rejects.
 *
 * @example
 * ```ts
 * import fastify from 'fastify';
 * import { createWebhookReceiver, toFastifyHandler } from 'messaging-automation/webhooks';
 *
 * const app = fastify();
 * app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
 * app.post('/webhooks', toFastifyHandler(createWebhookReceiver({ secret: 'whsec_example' })));
 * ```
 */
export function toFastifyHandler<Request extends FastifyWebhookRequest>(
  receiver: ReceiverCore<Request>,
): <Reply extends FastifyWebhookReply>(request: Request, reply: Reply) => Promise<Reply> {
  checkReceiver('toFastifyHandler', receiver);
  return async (request, reply) => {
    const { raw } = request;
    const response = await receiveByNode(receiver, {
      request,
      stream: raw,
      keepers: [request, raw],
      response: reply.raw,
      fix,
    });
    if (reply.sent) return reply;
    reply.code(response.status);
    reply.headers(response.headers);
    reply.send(response.body);
    return reply;
  };
}

const fix =
  "Fastify: register toFastifyPlugin(receiver), or give the receiver's scope a content-type parser with " +
  "parseAs: 'buffer', not 'string', that hands on the bytes, and keep preParsing hooks off it. Configure fastify-raw-body with " +
  'encoding: false.';
