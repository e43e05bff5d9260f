import type { WebhookEventType } from '../../contract/webhook-event-type.js';
import type { ReceiverCore } from './exchange.js';
import { Receiver } from './receiver.js';
import type { WebhookReceiverOptions } from './receiver-options.js';
import type { AnyEventHandler, WebhookEventOf, WebhookHandler } from './webhook-handler.js';
import type { DrainOptions, UnfinishedDelivery } from './work-in-progress.js';

/**
 * Verifies deliveries, calls their handlers and decides the answer. An adapter, such as `toNodeHandler`, converts it into a handler of
 * your framework.
 *
 * @typeParam Request - The framework's own request, which the handlers receive.
 */
export interface WebhookReceiver<Request = unknown> extends ReceiverCore<Request> {
  /**
   * Adds a handler for a type of event. Several handlers of a type run one after the other, in the order in which they were added. If
   * one fails, the later ones do not run, and the next attempt runs all of them again.
   *
   * The receiver acknowledges a delivery of a known type without a handler, and warns once per type, with the name
   * `MessagingAutomationUnhandledEvent`.
   *
   * @throws ConfigurationError for an unknown type, or a handler that is not a function.
   */
  on<Type extends WebhookEventType>(type: Type, handler: WebhookHandler<WebhookEventOf<Type>, Request>): this;

  /**
   * Adds a handler for every event, including unknown types. It runs in order: after the handlers that were added before it, and before
   * those that were added later.
   *
   * @throws ConfigurationError for a handler that is not a function.
   *
   * @example
   * ```ts
   * import { createWebhookReceiver } from 'messaging-automation/webhooks';
   *
   * const receiver = createWebhookReceiver({ secret: 'whsec_example' });
   * receiver.onAny((event) => console.log(event.event, event.workspaceId));
   * ```
   */
  onAny(handler: AnyEventHandler<Request>): this;

  /**
   * Prepares for the end of the process. From now on the receiver answers each new request with 503 and `Retry-After`, so that the
   * service sends it again, to another process. Resolves when all work in progress is done, including handlers that continue after
   * their answer, and the answers are written; or at the timeout. A framework that takes a `Response` does not say when it has written
   * it, and gets ten turns of the event loop. It cannot be undone. A second call waits again.
   *
   * @returns The unfinished deliveries. Empty if all work is done.
   * @throws ConfigurationError for a timeout that is not a number of milliseconds.
   *
   * @example
   * ```ts
   * import { createServer } from 'node:http';
   * import { createWebhookReceiver, toNodeHandler } from 'messaging-automation/webhooks';
   *
   * const receiver = createWebhookReceiver({ secret: 'whsec_example' });
   * const server = createServer(toNodeHandler(receiver));
   *
   * process.once('SIGTERM', async () => {
   *   const unfinished = await receiver.drain({ timeout: 8_000 });
   *   if (unfinished.length > 0) console.error(`${unfinished.length} deliveries were not finished`);
   *   server.close();
   * });
   * ```
   */
  drain(options?: DrainOptions): Promise<readonly UnfinishedDelivery<Request>[]>;
}

/**
 * Creates a receiver of webhook deliveries. It answers 2xx only to verified deliveries.
 *
 * Before it reads the body, it checks the method, the form of the signature, and the compression and length in the headers. Then it
 * checks the size, the signature, UTF-8, JSON, the age, the workspace and the dedupe store, and runs the handlers. Its answers consist of
 * a status only:
 *
 * | status | cause |
 * |---|---|
 * | 204 | verified, and handled now or earlier, or no handler exists for its type |
 * | 400 | correctly signed, but not usable: not UTF-8, not JSON, another shape or workspace, too old or too new; or the sender disconnected |
 * | 401 | the signature is wrong, or the subscription is unknown |
 * | 405, 413, 415 | not a POST; too large; compressed |
 * | 500 | a handler, the secret, the dedupe store or the setup failed. The receiver calls `onError` |
 * | 503 | another attempt is handling the delivery; the deadline passed; too many deliveries; or after `drain()` |
 *
 * The service sends a delivery again after any other answer than a 2xx.
 *
 * @typeParam Request - The framework's own request, which the handlers receive.
 * @throws ConfigurationError for an invalid option.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver, signatureHeader, signWebhook } from 'messaging-automation/webhooks';
 *
 * const secret = 'whsec_example';
 * const receiver = createWebhookReceiver<Request>({ secret });
 * receiver.on('contact.opted_out', (event) => console.log('opted out:', event.data.contactId));
 *
 * // What an adapter does:
 * const receive = async (request: Request): Promise<Response> => {
 *   const { method, headers } = request;
 *   const readBody = async () => new Uint8Array(await request.arrayBuffer());
 *   const answer = await receiver.receive({ method, headers, readBody, request });
 *   return new Response(answer.body || null, { status: answer.status, headers: answer.headers });
 * };
 *
 * const body = JSON.stringify({
 *   event: 'contact.opted_out',
 *   workspaceId: 'workspace_1',
 *   timestamp: new Date().toISOString(),
 *   data: { contactId: 'contact_1' },
 * });
 * const headers = { [signatureHeader]: signWebhook(body, secret) };
 * const answer = await receive(new Request('https://example.com/webhooks', { method: 'POST', body, headers }));
 * console.log(answer.status); // 204
 * ```
 */
export function createWebhookReceiver<Request = unknown>(
  options: WebhookReceiverOptions<Request>,
): WebhookReceiver<Request> {
  return new Receiver(options);
}
