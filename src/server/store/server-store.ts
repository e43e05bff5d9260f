import { isObject } from '../../foundation/is-object.js';
import type { SharedStore } from './shared-store.js';

/**
 * A store that several servers share, for the option `store` of `createReferenceServer`. `postgresStore()` of
 * `messaging-automation/postgres` creates one.
 *
 * @example
 * ```ts
 * import type { ServerStore } from 'messaging-automation/server';
 *
 * const nameOf = (store: ServerStore) => store.replica;
 * ```
 */
export interface ServerStore {
  /** The name of this replica, in logs and claims. */
  readonly replica: string;
  /** Hands the work of this replica back, and disconnects. A server closes its store. */
  close(): Promise<void>;
}

/** Whether a store is what a server needs. Its other members are no part of the public types. */
export function isSharedStore(store: unknown): store is SharedStore {
  const needed = ['open', 'close', 'addWorkspace', 'findWorkspace', 'workspace'];
  return isObject(store) && needed.every((name) => typeof Reflect.get(store, name) === 'function');
}
