/**
 * The exports that build on verification: the receiver with its adapters, and their tools. A separate file, so that a bundle that only
 * uses `verifyWebhook` does not contain it.
 */
export {
  type FastifyWebhookReply,
  type FastifyWebhookRequest,
  type FastifyWebhookScope,
  toFastifyHandler,
  toFastifyPlugin,
} from './adapters/fastify.js';
export { toFetchHandler } from './adapters/fetch.js';
export type { FetchRequest } from './adapters/fetch-body.js';
export { type HonoContext, toHonoHandler } from './adapters/hono.js';
export { type KoaContext, toKoaMiddleware } from './adapters/koa.js';
export {
  type LambdaContext,
  type LambdaEvent,
  type LambdaResult,
  toLambdaHandler,
} from './adapters/lambda.js';
export { toNextPagesHandler } from './adapters/next-pages.js';
export { toNodeHandler } from './adapters/node.js';
export type { NodeBodyStream, NodeRequest, NodeResponse } from './adapters/node-exchange.js';
export type { DedupeConnection } from './dedupe/connection-errors.js';
export type { DedupeClaim, DedupeStore } from './dedupe/dedupe-store.js';
export {
  createKeyValueDedupeStore,
  type KeyValueDedupeStoreOptions,
  type KeyValueService,
} from './dedupe/key-value-dedupe-store.js';
export {
  createMemoryDedupeStore,
  type ForgottenDedupeKey,
  type MemoryDedupeStoreOptions,
} from './dedupe/memory-dedupe-store.js';
export {
  createPostgresDedupeStore,
  type PostgresDedupeStore,
  type PostgresDedupeStoreOptions,
  type PostgresPool,
} from './dedupe/postgres-dedupe-store.js';
export {
  createRedisDedupeStore,
  type IoredisClient,
  type NodeRedisClient,
  type RedisDedupeStoreOptions,
} from './dedupe/redis-dedupe-store.js';
export { diagnoseWebhook, type WebhookDiagnosis } from './diagnose/diagnose.js';
export type { WebhookFault, WebhookFinding } from './diagnose/finding.js';
export {
  ReceiverDeadlineError,
  ReceiverError,
  type ReceiverErrorReason,
  type ReceiverStage,
  RefusedRequestError,
  type RefusedRequestReason,
  UnreadableBodyError,
  type UnreadableBodyReason,
} from './receiver/errors.js';
export type { ReceivedHeaders, ReceivedRequest, ReceiverAnswer, ReceiverCore } from './receiver/exchange.js';
export type {
  DuplicateDelivery,
  ReceiverFailure,
  RefusalError,
  SecretOfRequest,
  WebhookReceiverOptions,
} from './receiver/receiver-options.js';
export type {
  AnyEventHandler,
  WebhookContext,
  WebhookEventOf,
  WebhookHandler,
} from './receiver/webhook-handler.js';
export { createWebhookReceiver, type WebhookReceiver } from './receiver/webhook-receiver.js';
export type { DrainOptions, UnfinishedDelivery } from './receiver/work-in-progress.js';
export type { LambdaCaller, LambdaTestEvent } from './test-delivery/lambda-test-event.js';
export {
  signTestDelivery,
  type TestDeliveryData,
  type TestDeliveryOptions,
} from './test-delivery/sign-test-delivery.js';
export type { TestDelivery } from './test-delivery/test-delivery.js';
