import type { WebhookEventType } from '../../contract/webhook-event-type.js';
import type { ReceiverCore } from './exchange.js';
import { Receiver } from './receiver.js';
import type { WebhookReceiverOptions } from './receiver-options.js';
import type { WebhookEventOf, WebhookHandler } from './webhook-handler.js';

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
}

/**
 * Makes a receiver of webhook deliveries (document §6) that answers 2xx for nothing it did not verify.
 *
 * In this order: the method, the number of bytes, the form of the signature, the signature, UTF-8, JSON, the
 * age, whether the delivery was handled before, and the handlers. The answers, none of which tells the sender more
 * than its status:
 *
 * | status | when |
 * |---|---|
 * | 204 | verified, and handled now or before, or of a type that nobody handles |
 * | 400 | signed rightly, but of no use: not UTF-8, not JSON, of another shape, too old or too new; or broken off |
 * | 401 | not signed rightly, or of a subscription that is not known |
 * | 405, 413, 415 | not a POST; too many bytes; compressed |
 * | 500 | a handler, the secret, the dedupe store or the set-up failed; told to `onError` |
 * | 503 | a duplicate is being handled right now; or the time was up |
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
