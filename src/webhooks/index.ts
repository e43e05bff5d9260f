/**
 * Receives and verifies the webhooks of the service. {@link createWebhookReceiver} verifies each delivery, runs your handlers once
 * per delivery, and responds within the service's limit of five seconds. An adapter connects the receiver to your framework.
 *
 * ```ts
 * import { createWebhookReceiver, toFetchHandler } from 'messaging-automation/webhooks';
 *
 * const receiver = createWebhookReceiver({ secret: process.env.WEBHOOK_SECRET ?? '' })
 *   .on('message.received', (event) => console.log(`${event.data.contactId} wrote: ${event.data.body}`))
 *   .on('contact.opted_out', (event) => console.log(`${event.data.contactId} opted out`));
 *
 * // Export this handler from a worker, a Next.js route or any other code that takes a Request and returns a Response.
 * export const POST = toFetchHandler(receiver);
 * ```
 *
 * To verify without a receiver, call {@link verifyWebhook} or {@link unwrapWebhook} with the raw body, the signature and the secret.
 *
 * Read on: [receive webhooks](../../docs/guides/receive-webhooks.md),
 * [develop a receiver on your machine](../../docs/guides/develop-a-receiver.md).
 *
 * @module messaging-automation/webhooks
 */
export {
  type ConsentData,
  type ContactOptedInEvent,
  type ContactOptedOutEvent,
  type KnownWebhookEvent,
  type MessageReceivedData,
  type MessageReceivedEvent,
  signatureHeader,
  type UnknownWebhookEvent,
  type UnknownWebhookEventType,
  type WebhookEvent,
  type WebhookEventType,
} from '../contract/delivery.js';
export { MessagingAutomationError } from '../foundation/base-error.js';
export type { Clock } from '../foundation/clock.js';
export { ConfigurationError, type FieldProblem } from '../foundation/options.js';
export * from './receiving.js';
export type { WebhookDrift } from './verification/delivery.js';
export type { RawBody } from './verification/raw-body.js';
export type { WebhookSecret } from './verification/secret.js';
export { signWebhook, signWebhookAsync } from './verification/sign.js';
export type { WebhookSignature } from './verification/signature.js';
export {
  type UnwrapWebhookOptions,
  unwrapWebhook,
  unwrapWebhookAsync,
  verifyWebhookAsync,
} from './verification/unwrap.js';
export {
  WebhookVerificationError,
  type WebhookVerificationReason,
} from './verification/verification-error.js';
export { verifyWebhook } from './verification/verify.js';
