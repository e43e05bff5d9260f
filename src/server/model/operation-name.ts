import { operationList } from '../../contract/operations.js';

/**
 * The name of an endpoint, as the client's method for it is called.
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

/** Every name, in the order of the contract's table, which is what holds the type above to account. */
export const operationNames: readonly string[] = operationList.map(({ name }) => name);
