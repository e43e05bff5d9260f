import type { WebhookEventType } from '../../contract/webhook-event-type.js';
import type { DrainOptions, UnfinishedDelivery } from './drain.js';
import type { ReceiverCore } from './exchange.js';
import { Receiver } from './receiver.js';
import type { WebhookReceiverOptions } from './receiver-options.js';
import type { AnyEventHandler, WebhookEventOf, WebhookHandler } from './webhook-handler.js';

/**
 * Verifies deliveries, hands them to their handlers, and knows what to answer. The adapters make a framework's handler
 * of it.
 *
 * @typeParam Request - The framework's own request, as the handlers are given it.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver, type WebhookReceiver } from 'messaging-automation/webhooks';
 *
 * const receiver: WebhookReceiver = createWebhookReceiver({ secret: 'whsec_example' });
 * receiver
 *   .on('contact.opted_in', (event) => console.log('in', event.data.contactId))
 *   .on('contact.opted_out', (event) => console.log('out', event.data.contactId));
 * ```
 */
export interface WebhookReceiver<Request = unknown> extends ReceiverCore<Request> {
  /**
   * Adds a handler for a type of event. Several of a type run in the order they were added, each after the one before;
   * one that fails stops those after it, and the next attempt runs them all again.
   *
   * A delivery of a known type that has no handler is acknowledged, with a process warning of the name
   * `MessagingAutomationUnhandledEvent`, once per type.
   *
   * @throws TypeError for a type that is not known here, or a handler that is no function.
   */
  on<Type extends WebhookEventType>(type: Type, handler: WebhookHandler<WebhookEventOf<Type>, Request>): this;

  /**
   * Adds a handler for every event, of types that this package does not know too. It runs in its turn: after the handlers
   * that were added before it and before those that were added later.
   *
   * @throws TypeError for a handler that is no function.
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
   * Prepares for the end of the process: from now on each new request is answered with 503 and `Retry-After`, so that the
   * service sends it again, to another process. Resolves when the work under way is done, which includes handlers that go
   * on after their answer, or when the time is up. There is no way back; calling it again waits again.
   *
   * @returns What was left when the time was up: an empty list where all was done.
   * @throws TypeError for a timeout that is no number of milliseconds.
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
 * Makes a receiver of webhook deliveries (document §6) that answers 2xx for nothing it did not verify.
 *
 * In this order: the method, the form of the signature, the compression and the length that the headers tell, all
 * of which are judged before the body is read; the number of bytes, the signature, UTF-8, JSON, the age, the
 * workspace, whether the delivery was handled before, and the handlers. The answers, none of which tells the sender more
 * than its status:
 *
 * | status | when |
 * |---|---|
 * | 204 | verified, and handled now or before, or of a type that nobody handles |
 * | 400 | signed rightly, but of no use: not UTF-8, not JSON, of another shape or workspace, too old or too new; or broken off |
 * | 401 | not signed rightly, or of a subscription that is not known |
 * | 405, 413, 415 | not a POST; too many bytes; compressed |
 * | 500 | a handler, the secret, the dedupe store or the set-up failed; told to `onError` |
 * | 503 | a duplicate is being handled right now; the time is up; too much work; or `drain()` was called |
 *
 * The service sends a delivery again after anything but a 2xx (document §8).
 *
 * @typeParam Request - The framework's own request, as the handlers are given it.
 * @throws TypeError for an option that is out of its range.
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
