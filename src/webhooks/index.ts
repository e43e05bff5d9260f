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
export type { WebhookDrift } from './drift.js';
export type { RawBody } from './raw-body.js';
export * from './receiving.js';
export type { ReplayTolerance } from './replay-window.js';
export type { WebhookSecret } from './secret.js';
export { signWebhook, signWebhookAsync } from './sign.js';
export type { WebhookSignature } from './signature.js';
export { type UnwrapWebhookOptions, unwrapWebhook, unwrapWebhookAsync } from './unwrap.js';
export { WebhookVerificationError, type WebhookVerificationReason } from './verification-error.js';
export { verifyWebhook } from './verify.js';
export { verifyWebhookAsync } from './verify-async.js';
