import { ServiceError } from '../../server/model/service-error.js';
import type { Database } from '../database/connection.js';
import type { HeldClaims } from './held-claims.js';
import type { SetAside } from './set-aside.js';

/** How many attempts to one subscription can run at once, in all replicas together. */
export interface RunningLimits {
  /** The limit for a subscription that acknowledges deliveries. */
  readonly most: number;
  /** The limit for a subscription whose last attempt failed. */
  readonly whileFailing: number;
}

/** The dependencies of all records of a replica. */
export interface ReplicaContext {
  readonly database: Database;
  /** How long a claim is valid after its last renewal. In milliseconds. */
  readonly lease: number;
  /** Identifies this replica in its claims. */
  readonly replica: string;
  /** Creates a unique token for a claim. */
  readonly newToken: () => string;
  /** Undefined: no limit. */
  readonly running: RunningLimits | undefined;
  readonly held: HeldClaims;
  readonly setAside: SetAside;
}

/** Returns the error of a method that needs the workspace, if the workspace does not exist. Its keys are not valid either. */
export function missingWorkspace(): ServiceError {
  return new ServiceError(
    'unauthorized',
    'No workspace of this store has this id: it was deleted, or never created.',
  );
}
