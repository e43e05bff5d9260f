import type { ReceiverCore } from '../receiver/exchange.js';
import { type NodeRequest, type NodeResponse, receiveByNode } from './node.js';
import { type BodyFixes, NodeBody } from './node-body.js';
import { endUnfinished } from './unfinished-request.js';

/**
 * The part of Fastify's request that the adapter reads.
 *
 * @example
 * ```ts
 * import type { FastifyWebhookRequest } from 'messaging-automation/webhooks';
 *
 * const methodOf = (request: FastifyWebhookRequest): string | undefined => request.raw.method;
 * console.log(methodOf.length); // 1
 * ```
 */
export interface FastifyWebhookRequest {
  readonly raw: NodeRequest;
  readonly body?: unknown;
  readonly rawBody?: unknown;
}

/**
 * The part of Fastify's reply that the adapter writes.
 *
 * @example
 * ```ts
 * import type { FastifyWebhookReply } from 'messaging-automation/webhooks';
 *
 * const isOver = (reply: FastifyWebhookReply): boolean => reply.sent;
 * console.log(isOver.length); // 1
 * ```
 */
export interface FastifyWebhookReply {
  readonly sent: boolean;
  /** The response of `node:http`. */
  readonly raw?: Pick<NodeResponse, 'shouldKeepAlive' | 'once'>;
  /** Sets the status. */
  code(status: number): unknown;
  /** Adds headers. */
  headers(headers: { readonly [name: string]: string }): unknown;
  /** Sends the answer. */
  send(body: string): unknown;
}

/**
 * The part of a Fastify instance that the plugin sets up.
 *
 * @example
 * ```ts
 * import type { FastifyWebhookScope } from 'messaging-automation/webhooks';
 *
 * const forget = (scope: FastifyWebhookScope) => scope.removeAllContentTypeParsers();
 * console.log(forget.length); // 1
 * ```
 */
export interface FastifyWebhookScope {
  /** Leaves bodies unparsed in this scope. */
  removeAllContentTypeParsers(): unknown;
  /** Says what becomes of bodies of a content type. */
  addContentTypeParser(
    contentType: string,
    parser: (request: unknown, payload: unknown, done: (error: null) => void) => void,
  ): unknown;
  /** Serves a path, whatever the method. */
  all(
    path: string,
    handler: (request: FastifyWebhookRequest, reply: FastifyWebhookReply) => Promise<unknown>,
  ): unknown;
}

/**
 * Turns a receiver into a plugin of Fastify (document §6): `app.register(toFastifyPlugin(receiver), { prefix:
 * '/webhooks' })`. Inside the prefix nothing parses bodies, so that the receiver gets them as they came; outside of it
 * nothing changes.
 *
 * @param receiver - What `createWebhookReceiver` gave.
 * @returns The plugin. It answers every request under its prefix, whatever its method.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver, toFastifyPlugin } from 'messaging-automation/webhooks';
 *
 * const receiver = createWebhookReceiver({ secret: 'whsec_example' });
 * receiver.on('message.received', (event) => console.log(event.data.body));
 *
 * const plugin = toFastifyPlugin(receiver);
 * // await app.register(plugin, { prefix: '/webhooks' });
 * console.log(plugin.length); // 1
 * ```
 */
export function toFastifyPlugin(
  receiver: ReceiverCore<FastifyWebhookRequest>,
): (scope: FastifyWebhookScope) => Promise<void> {
  const handle = toFastifyHandler(receiver);
  return async (scope) => {
    scope.removeAllContentTypeParsers();
    // Parses nothing and reads nothing: the receiver does, by its own limit.
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.all('/', handle);
  };
}

/**
 * Turns a receiver into a handler of a Fastify route whose body nothing parses (document §6). `toFastifyPlugin` sees to
 * that by itself; this is for who sets up the route otherwise: with `addContentTypeParser(…, { parseAs: 'buffer' }, …)`
 * that gives the bytes as they are, or with `fastify-raw-body`.
 *
 * @param receiver - What `createWebhookReceiver` gave.
 * @returns A handler that answers every request and never rejects.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver, toFastifyHandler } from 'messaging-automation/webhooks';
 *
 * const handle = toFastifyHandler(createWebhookReceiver({ secret: 'whsec_example' }));
 * // app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
 * // app.post('/webhooks', handle);
 * console.log(handle.length); // 2
 * ```
 */
export function toFastifyHandler<Request extends FastifyWebhookRequest>(
  receiver: ReceiverCore<Request>,
): <Reply extends FastifyWebhookReply>(request: Request, reply: Reply) => Promise<Reply> {
  return async (request, reply) => {
    const { raw } = request;
    const kept = { raw: () => request.rawBody ?? raw.rawBody, parsed: () => request.body ?? raw.body };
    const answer = await receiveByNode(receiver, {
      method: raw.method ?? '',
      request,
      stream: raw,
      body: new NodeBody(raw, kept, fixes),
    });
    if (reply.sent) return reply;
    reply.code(answer.status);
    reply.headers(answer.headers);
    if (!endUnfinished(raw, reply.raw)) reply.headers({ Connection: 'close' });
    reply.send(answer.body);
    return reply;
  };
}

const fixes: BodyFixes = {
  forConsumed:
    "Fastify: register toFastifyPlugin(receiver), or give the receiver's scope a content-type parser with " +
    "parseAs: 'buffer' that hands on the bytes, and keep preParsing hooks off it.",
  forDecoded:
    "Fastify: give fastify-raw-body encoding: false, and a content-type parser parseAs: 'buffer' in place of 'string'.",
};
