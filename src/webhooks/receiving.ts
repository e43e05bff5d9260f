/**
 * The exports that build on verification: the receiver with its adapters, and their tools. A separate file, so that a bundle that only
 * uses `verifyWebhook` does not contain it.
 */
export type { StoreConnection } from '../key-value/connection.js';
export type { KeyValueService } from '../key-value/key-value-service.js';
export {
  createPostgresKeyValueStore,
  type PostgresKeyValueStoreOptions,
  type PostgresPool,
  type PostgresTable,
} from '../key-value/postgres.js';
export {
  createRedisKeyValueStore,
  type IoredisClient,
  type NodeRedisClient,
  type RedisKeyValueStoreOptions,
} from '../key-value/redis.js';
export * from './adapters/fastify.js';
export { type FetchRequest, toFetchHandler } from './adapters/fetch.js';
export * from './adapters/hono.js';
export * from './adapters/koa.js';
export * from './adapters/lambda.js';
export { toNextPagesHandler, toNodeHandler } from './adapters/node.js';
export type * from './adapters/node-exchange.js';
export * from './dedupe/dedupe-store.js';
export * from './dedupe/memory-dedupe-store.js';
export * from './diagnose/diagnose.js';
export type { WebhookFault, WebhookFinding } from './diagnose/finding.js';
export * from './receiver/errors.js';
export type * from './receiver/exchange.js';
export { createWebhookReceiver, type WebhookReceiver } from './receiver/receiver.js';
export type * from './receiver/receiver-options.js';
export type { WebhookJob } from './receiver/webhook-job.js';
export type { DrainOptions, UnfinishedDelivery } from './receiver/work-in-progress.js';
export * from './test-delivery/sign-test-delivery.js';
export type { TestDelivery } from './test-delivery/test-delivery.js';
