import { isObject } from '../../foundation/is-object.js';
import type { SharedStore } from './shared-store.js';

/**
 * A store that several servers share, for the option `store` of `createReferenceServer`. `postgresStore()` of
 * `messaging-automation/postgres` creates one.
 */
export interface ServerStore {
  /** The name of this replica, in logs. */
  readonly replica: string;
  /** Releases the work of this replica, and disconnects. A server closes its store when it closes. */
  close(): Promise<void>;
}

/** Whether a value is a store. The members that a server uses are not part of the public types. */
export function isSharedStore(store: unknown): store is SharedStore {
  const needed = ['open', 'close', 'addWorkspace', 'findWorkspace', 'workspace'];
  return isObject(store) && needed.every((name) => typeof Reflect.get(store, name) === 'function');
}
