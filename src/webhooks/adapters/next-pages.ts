import type { ReceiverCore } from '../receiver/exchange.js';
import { nodeHandlerOf } from './node.js';
import type { NodeRequest, NodeResponse } from './node-exchange.js';

/**
 * Converts a receiver into an API route of the Next.js pages router. The route must disable Next's body parser, which discards the raw
 * bytes: `export const config = { api: { bodyParser: false } }`. Otherwise the receiver answers each delivery with 500, and the error
 * says so. In the app router, use `toFetchHandler`.
 *
 * @param receiver - The receiver from `createWebhookReceiver`.
 * @returns The route's default export. It answers every request, whatever its method, and never rejects.
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
  return nodeHandlerOf(receiver, { forConsumed: fix, forDecoded: fix });
}

const fix =
  'In the module of the Next.js API route, put: export const config = { api: { bodyParser: false } }. ' +
  'Nothing else there may read the request either.';
