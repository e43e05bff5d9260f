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
export * from './receiving.js';
export type { WebhookDrift } from './verification/drift.js';
export type { RawBody } from './verification/raw-body.js';
export type { ReplayTolerance } from './verification/replay-window.js';
export type { WebhookSecret } from './verification/secret.js';
export { signWebhook, signWebhookAsync } from './verification/sign.js';
export type { WebhookSignature } from './verification/signature.js';
export { type UnwrapWebhookOptions, unwrapWebhook, unwrapWebhookAsync } from './verification/unwrap.js';
export {
  WebhookVerificationError,
  type WebhookVerificationReason,
} from './verification/verification-error.js';
export { verifyWebhook } from './verification/verify.js';
export { verifyWebhookAsync } from './verification/verify-async.js';
