/**
 * Calls the Messaging Automation Service: contacts, template sends, events, webhook subscriptions. {@link MessagingAutomation}
 * is the client.
 *
 * ```ts
 * import { MessagingAutomation, QuotaExceededError } from 'messaging-automation';
 *
 * // Reads MESSAGING_AUTOMATION_API_KEY and MESSAGING_AUTOMATION_BASE_URL.
 * const messaging = new MessagingAutomation();
 *
 * const contact = await messaging.contacts.upsert({ phone: '+15551234567', properties: { firstName: 'Ada' } });
 * await messaging.events.track({ event: 'order_placed', contactId: contact.id });
 *
 * try {
 *   await messaging.transactional.send({
 *     phone: '+15551234567',
 *     templateId: 'order_update',
 *     variables: { '1': 'Ada', '2': 'A-1001' },
 *   });
 * } catch (error) {
 *   if (error instanceof QuotaExceededError) console.error('No conversations left:', error.message);
 *   else throw error;
 * }
 * ```
 *
 * Read on: [configure the client](../docs/guides/client.md), [errors](../docs/guides/errors.md), [retries](../docs/guides/retries.md),
 * [bulk upserts and sends](../docs/guides/bulk.md), [typed workspaces](../docs/guides/typed-workspaces.md).
 *
 * @module messaging-automation
 */

export type { BulkRun } from './client/bulk/bulk-run.js';
export type { BulkCheckpoint, CheckpointStore } from './client/bulk/checkpoint.js';
export type { BulkOptions, SendManyOptions, TrackManyOptions } from './client/bulk/options.js';
export type { BulkOutcome, BulkProgress, BulkSummary } from './client/bulk/outcome.js';
export type { CallPromise } from './client/call/call-promise.js';
export { MessagingAutomation } from './client/client.js';
export type { ClientOptions, SendGuard } from './client/configuration.js';
export { defineWorkspace } from './client/definition/define-workspace.js';
export type {
  InferContact,
  InferEvents,
  InferProperties,
  InferSendInput,
  InferTemplates,
  InferTrackInput,
} from './client/definition/infer.js';
export type {
  StandardSchema,
  Workspace,
  WorkspaceDefinition,
} from './client/definition/workspace-definition.js';
export {
  ApiKeyUnavailableError,
  ConnectionError,
  IdempotencyError,
  InvalidInputError,
  MiddlewareError,
  NotConfiguredError,
  NotSentError,
  SendBlockedError,
  SendGuardError,
  TimeoutError,
} from './client/errors/no-response-errors.js';
export { type Outcome, RequestError, type RequestErrorFacts } from './client/errors/request-error.js';
export {
  ApiError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  PermissionError,
  QuotaExceededError,
  RateLimitError,
  ResponseTooLargeError,
  SendFailedError,
  ServerError,
  UnusableResponseError,
} from './client/errors/response-errors.js';
export { createOptOutList, type OptOutList, onlyTo } from './client/guards/guards.js';
export type { UnsettledKey, UnsettledOptions } from './client/idempotency/unsettled.js';
export type { Middleware } from './client/observability/middleware-chain.js';
export type { CallTrace } from './client/observability/tracing.js';
export type { LogFields, Logger } from './client/observability/watching.js';
export type { CustomRequest } from './client/request/custom-request.js';
export { createLimiter, type Limiter, type LimiterOptions } from './client/request/limiter.js';
export type { RequestOptions, SendOptions, TrackOptions } from './client/request/request-options.js';
export type { Contacts } from './client/resources/contacts.js';
export type { Events } from './client/resources/events.js';
export type { Templates } from './client/resources/templates.js';
export type { Transactional } from './client/resources/transactional.js';
export type { Webhooks } from './client/resources/webhooks.js';
export type { WithResponse } from './client/response/interpret.js';
export type { Drift } from './client/response/reading.js';
export type { Transport, TransportRequest, TransportResponse } from './client/transport/transport.js';
export type {
  Contact,
  ContactProperties,
  PropertyValue,
  UpdateContactInput,
  UpsertContactInput,
} from './contract/contact.js';
export type { WebhookEventType } from './contract/delivery.js';
export type { TrackInput, TrackResult } from './contract/event.js';
export type {
  CreatedWebhookSubscription,
  CreateWebhookInput,
  WebhookSubscription,
} from './contract/subscription.js';
export type { Template } from './contract/template.js';
export type { SendInput, SendResult } from './contract/transactional.js';
export { MessagingAutomationError } from './foundation/base-error.js';
export type { Clock } from './foundation/clock.js';
export type { FetchFunction } from './foundation/fetch-function.js';
export { ConfigurationError, type FieldProblem } from './foundation/options.js';
export type { StoreConnection } from './key-value/connection.js';
export type { KeyValueEntry, KeyValueService } from './key-value/key-value-service.js';
export { createMemoryKeyValueStore } from './key-value/memory.js';
export { createPostgresKeyValueStore, type PostgresTable } from './key-value/postgres.js';
export { createRedisKeyValueStore, type IoredisClient, type NodeRedisClient } from './key-value/redis.js';
export { verifyWebhook } from './webhooks/verification/verify.js';
