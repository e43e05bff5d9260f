import { operationList } from '../../contract/operations.js';

/**
 * The name of an endpoint: the client's resource and method.
 *
 * @example
 * ```ts
 * import type { OperationName } from 'messaging-automation/server';
 *
 * const risky: OperationName[] = ['transactional.send', 'events.track', 'webhooks.create'];
 * ```
 */
export type OperationName =
  | 'contacts.upsert'
  | 'contacts.find'
  | 'contacts.get'
  | 'contacts.update'
  | 'contacts.delete'
  | 'transactional.send'
  | 'events.track'
  | 'webhooks.create'
  | 'webhooks.list'
  | 'webhooks.delete'
  | 'templates.list';

/** Every name, in the order of the contract's table. A test compares them with the type above. */
export const operationNames: readonly string[] = operationList.map(({ name }) => name);
