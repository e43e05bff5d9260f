import { contactOperations } from './contact.js';
import { eventOperations } from './event.js';
import type { AnyOperation } from './operation.js';
import { webhookOperations } from './subscription.js';
import { templateOperations } from './template.js';
import { transactionalOperations } from './transactional.js';

/**
 * The endpoints of the service, in the order of its document. The client, the server, the OpenAPI document and the contract tests all read
 * this table. No other place has these paths, statuses and shapes.
 */
export const operations = {
  contacts: contactOperations,
  transactional: transactionalOperations,
  events: eventOperations,
  webhooks: webhookOperations,
  templates: templateOperations,
} as const;

/** Every operation, in the document's order. */
export const operationList: readonly AnyOperation[] = /* @__PURE__ */ Object.values(operations).flatMap(
  (resource) => Object.values<AnyOperation>(resource),
);
