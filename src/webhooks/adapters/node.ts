import type { ReceiverCore, ReceiverResponse } from '../receiver/exchange.js';
import { checkReceiver } from './check-receiver.js';
import { NodeBody } from './node-body.js';
import type { NodeRequest, NodeResponse, WrittenResponse } from './node-exchange.js';
import { headersFor } from './unfinished-request.js';

/**
 * Converts a receiver into a handler for node:http, Express 4 and 5, Connect, NestJS, polka, Hapi, h3 1 and Google Cloud Functions.
 *
 * The handler reads the raw body, so mount it before body parsers: `app.use('/webhooks', toNodeHandler(receiver))`. Behind
 * `express.raw({ type: () => true })`, or in NestJS with `rawBody: true`, it uses the bytes that they keep. It treats a `rawBody` or
 * `body` that is text as its UTF-8 bytes. If a middleware has parsed or read the body, it responds with 500, and the error says how to keep
 * the bytes.
 *
 * @param receiver - The receiver from `createWebhookReceiver`.
 * @returns A handler that responds to every request, whatever its method, and never rejects.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { createWebhookReceiver, toNodeHandler } from 'messaging-automation/webhooks';
 *
 * const receiver = createWebhookReceiver({ secret: 'whsec_example' });
 * receiver.on('message.received', (event) => console.log(event.data.body));
 *
 * const server = createServer(toNodeHandler(receiver)); // Express: app.use('/webhooks', toNodeHandler(receiver))
 * server.listen(0, '127.0.0.1', async () => {
 *   const address = server.address();
 *   const port = typeof address === 'object' ? address?.port : undefined;
 *   const { status } = await fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', body: '{}' });
 *   console.log(status); // 401: it was not signed
 *   server.close();
 * });
 * ```
 */
export function toNodeHandler<Request extends NodeRequest>(
  receiver: ReceiverCore<Request>,
): (request: Request, response: NodeResponse) => Promise<void> {
  checkReceiver('toNodeHandler', receiver);
  return nodeHandlerOf(receiver, fixOfNode);
}

/**
 * Converts a receiver into an API route of the Next.js pages router. The route must disable Next's body parser, which discards the raw
 * bytes: `export const config = { api: { bodyParser: false } }`. Otherwise the receiver responds to each delivery with 500, and the error
 * says so. In the app router, use `toFetchHandler`.
 *
 * @param receiver - The receiver from `createWebhookReceiver`.
 * @returns The route's default export. It responds to every request, whatever its method, and never rejects.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { createWebhookReceiver, toNextPagesHandler } from 'messaging-automation/webhooks';
 *
 * export const config = { api: { bodyParser: false } };
 *
 * const receiver = createWebhookReceiver({ secret: 'whsec_example' });
 * receiver.on('message.received', (event) => console.log(event.data.body));
 *
 * const handler = toNextPagesHandler(receiver); // in pages/api/webhooks.ts: export default handler
 *
 * // Next.js calls it with a request and a response of node:http:
 * const server = createServer(handler).listen(0, '127.0.0.1', async () => {
 *   const address = server.address();
 *   const port = typeof address === 'object' ? address?.port : undefined;
 *   const { status } = await fetch(`http://127.0.0.1:${port}/api/webhooks`, { method: 'POST', body: '{}' });
 *   console.log(status); // 401: it was not signed
 *   server.close();
 * });
 * ```
 */
export function toNextPagesHandler<Request extends NodeRequest>(
  receiver: ReceiverCore<Request>,
): (request: Request, response: NodeResponse) => Promise<void> {
  checkReceiver('toNextPagesHandler', receiver);
  return nodeHandlerOf(receiver, fixOfNext);
}

/** Converts a receiver into a handler for a framework on top of node:http that needs its own fix in errors. */
function nodeHandlerOf<Request extends NodeRequest>(
  receiver: ReceiverCore<Request>,
  fix: string,
): (request: Request, response: NodeResponse) => Promise<void> {
  return async (request, response) => {
    const received = { request, stream: request, keepers: [request], response, fix };
    write(await receiveByNode(receiver, received), response);
  };
}

/** A Node request, and the framework's own object for it. */
interface ReceivedByNode<Request> {
  /** The framework's request or context, which handlers receive. */
  readonly request: Request;
  readonly stream: NodeRequest;
  /** The requests that may have kept the body. */
  readonly keepers: readonly object[];
  readonly response: WrittenResponse | undefined;
  /** How to fix a body that the adapter cannot use, with the framework's own names. */
  readonly fix: string;
}

/**
 * Passes a request to the receiver. Releases the body afterwards, even if it has not arrived. Returns the response to write at once, with
 * the headers of its connection.
 */
export async function receiveByNode<Request>(
  receiver: ReceiverCore<Request>,
  { request, stream, keepers, response = {}, fix }: ReceivedByNode<Request>,
): Promise<ReceiverResponse> {
  const body = new NodeBody(stream, keepers, fix);
  const received = await receiver.receive({
    method: stream.method ?? '',
    headers: stream.headers,
    readBody: (limit, hold) => body.read(limit, hold),
    adviceOnDecodedBody: () => body.adviceOnDecoded(),
    request,
    onWritten: (listener) => whenWritten(response, listener),
  });
  body.letGo();
  return { ...received, headers: headersFor(received, stream, response) };
}

/** Calls the listener when the response is written or its connection has closed, or at once if either was before. */
export function whenWritten(response: WrittenResponse, listener: () => void): void {
  const { destroyed = Reflect.get(Object(response.stream), 'destroyed') } = response;
  // A response without this state is not of Node, for example a test's, and may never tell its end.
  if (response.writableFinished !== false || destroyed === true || response.once === undefined) {
    listener();
    return;
  }
  response.once('finish', listener);
  response.once('close', listener);
}

function write({ status, headers, body }: ReceiverResponse, response: NodeResponse): void {
  // The sender has disconnected, or a middleware, such as a timeout, has already responded.
  if (response.headersSent || response.destroyed) return;
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(body);
}

const fixOfNode =
  'Express: mount the receiver ahead of express.json() and express.text(), or put express.raw({ type: () => true }) ahead of them on ' +
  'its path, or keep the bytes themselves, with verify: (request, _response, bytes) => { request.rawBody = bytes }. NestJS: ' +
  'NestFactory.create(AppModule, { rawBody: true }). Hapi: payload: { parse: false, output: "stream" } in the route\'s options. ' +
  'node:http, Connect, polka and h3: let nothing before it read the request, or put a Buffer into request.rawBody.';

const fixOfNext =
  'In the module of the Next.js API route, put: export const config = { api: { bodyParser: false } }. ' +
  'Nothing else there may read the request either.';
