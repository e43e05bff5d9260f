// The exports that build on verification: the receiver with its adapters, and their tools. A separate file, so that a bundle that only
// uses `verifyWebhook` does not contain it.

export type { StoreConnection } from '../key-value/connection.js';
export type { KeyValueEntry, KeyValueService } from '../key-value/key-value-service.js';
export { createPostgresKeyValueStore, type PostgresTable } from '../key-value/postgres.js';
export { createRedisKeyValueStore, type IoredisClient, type NodeRedisClient } from '../key-value/redis.js';
export { toFastifyHandler, toFastifyPlugin } from './adapters/fastify.js';
export { toFetchHandler } from './adapters/fetch.js';
export { toHonoHandler } from './adapters/hono.js';
export { toKoaMiddleware } from './adapters/koa.js';
export { toLambdaHandler } from './adapters/lambda.js';
export { toNextPagesHandler, toNodeHandler } from './adapters/node.js';
export type { NodeRequest } from './adapters/node-exchange.js';
export {
  createDedupeStore,
  type DedupeStore,
  type DedupeStoreOptions,
  type TurnStore,
} from './dedupe/dedupe-store.js';
export {
  createMemoryDedupeStore,
  type ForgottenDedupeKey,
  type MemoryDedupeStoreOptions,
} from './dedupe/memory-dedupe-store.js';
export { diagnoseWebhook, type WebhookDiagnosis } from './diagnose/diagnose.js';
export type { WebhookFault, WebhookFinding } from './diagnose/finding.js';
export {
  ReceiverDeadlineError,
  ReceiverError,
  RefusedRequestError,
  UnreadableBodyError,
} from './receiver/errors.js';
export type { ReceivedRequest, ReceiverCore } from './receiver/exchange.js';
export { createWebhookReceiver, type WebhookReceiver } from './receiver/receiver.js';
export type {
  WebhookContext,
  WebhookEventOf,
  WebhookHandler,
  WebhookJob,
  WebhookReceiverOptions,
} from './receiver/receiver-options.js';
export {
  signTestDelivery,
  type TestDelivery,
  type TestDeliveryOptions,
} from './test-delivery/test-delivery.js';
