import type { Database } from '../database/connection.js';
import type { HeldClaims } from './held-claims.js';

/** How many attempts to one subscription run at once, over all replicas. */
export interface RunningLimits {
  /** To one that acknowledges. */
  readonly most: number;
  /** To one whose last attempt failed. */
  readonly whileFailing: number;
}

/** What all records of a replica share. */
export interface ReplicaContext {
  readonly database: Database;
  /** How long a claim holds. In milliseconds. */
  readonly lease: number;
  /** The name of this replica. */
  readonly replica: string;
  /** Makes the token of a claim, which no other claim of the record has. */
  readonly newToken: () => string;
  /** Undefined: no limit. */
  readonly running: RunningLimits | undefined;
  readonly held: HeldClaims;
}

/** A verb that must give something was called for a workspace that is not there. */
export function missingWorkspace(): Error {
  return new Error('No workspace of this store has this id: it was deleted, or never created.');
}
