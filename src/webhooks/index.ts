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
export {
  type FastifyWebhookReply,
  type FastifyWebhookRequest,
  type FastifyWebhookScope,
  toFastifyHandler,
  toFastifyPlugin,
} from './adapters/fastify.js';
export { toFetchHandler } from './adapters/fetch.js';
export { type HonoContext, toHonoHandler } from './adapters/hono.js';
export { type KoaContext, toKoaMiddleware } from './adapters/koa.js';
export { toLambdaHandler } from './adapters/lambda.js';
export type { LambdaEvent, LambdaResult } from './adapters/lambda-event.js';
export { toNextPagesHandler } from './adapters/next-pages.js';
export { type NodeRequest, type NodeResponse, toNodeHandler } from './adapters/node.js';
export type { NodeBodyStream } from './adapters/node-body.js';
export type { DedupeClaim, DedupeStore } from './dedupe/dedupe-store.js';
export { createMemoryDedupeStore, type MemoryDedupeStoreOptions } from './dedupe/memory-dedupe-store.js';
export { diagnoseWebhook, type WebhookDiagnosis } from './diagnose/diagnose.js';
export type { WebhookFault, WebhookFinding } from './diagnose/finding.js';
export type { WebhookDrift } from './drift.js';
export type { RawBody } from './raw-body.js';
export type { ReceivedHeaders, ReceivedRequest, ReceiverAnswer, ReceiverCore } from './receiver/exchange.js';
export { ReceiverDeadlineError, type ReceiverStage } from './receiver/receiver-deadline-error.js';
export type {
  ReceiverFailure,
  SecretOfRequest,
  WebhookReceiverOptions,
} from './receiver/receiver-options.js';
export { UnreadableBodyError, type UnreadableBodyReason } from './receiver/unreadable-body-error.js';
export type { WebhookContext, WebhookEventOf, WebhookHandler } from './receiver/webhook-handler.js';
export { createWebhookReceiver, type WebhookReceiver } from './receiver/webhook-receiver.js';
export type { ReplayTolerance } from './replay-window.js';
export type { WebhookSecret } from './secret.js';
export { signWebhook, signWebhookAsync } from './sign.js';
export type { WebhookSignature } from './signature.js';
export type { LambdaCaller, LambdaTestEvent } from './test-delivery/lambda-test-event.js';
export type { TestNodeRequest } from './test-delivery/node-request.js';
export {
  signTestDelivery,
  type TestDeliveryData,
  type TestDeliveryOptions,
} from './test-delivery/sign-test-delivery.js';
export type { TestDelivery, TestExpressRequest, TestFastifyRequest } from './test-delivery/test-delivery.js';
export { type UnwrapWebhookOptions, unwrapWebhook, unwrapWebhookAsync } from './unwrap.js';
export { WebhookVerificationError, type WebhookVerificationReason } from './verification-error.js';
export { verifyWebhook } from './verify.js';
export { verifyWebhookAsync } from './verify-async.js';
