import type { DeliveryRecord } from '../../server/model/records.js';
import { ServiceError } from '../../server/model/service-error.js';
import type { Claim } from '../../server/store/store.js';
import type { Database, Statements } from '../database/connection.js';
import type { SetAside } from './set-aside.js';

/** The tables whose rows are claimed. */
export type ClaimedTable = 'deliveries' | 'events' | 'journey_runs' | 'sends';

/** A claim of this replica. */
export interface HeldClaim extends Claim {
  readonly table: ClaimedTable;
  readonly workspaceId: string;
  /** For a delivery: its content at the claim. No one else changes it while the claim is the latest. */
  readonly delivery?: DeliveryRecord;
  /** For a journey run: the time for which it was claimed. */
  readonly now?: number;
}

/** The unsettled claims of this replica, whose leases it renews. */
export class HeldClaims {
  readonly #held = new Map<string, HeldClaim>();

  hold(claim: HeldClaim): void {
    this.#held.set(keyOf(claim.table, claim.workspaceId, claim), claim);
  }

  /** Returns this replica's latest claim of a record. */
  latest(table: ClaimedTable, workspaceId: string, id: string): HeldClaim | undefined {
    return this.all().findLast(
      (claim) => claim.id === id && claim.table === table && claim.workspaceId === workspaceId,
    );
  }

  /** Removes and returns the claim, to settle it. Undefined if it belongs to another replica. */
  take(table: ClaimedTable, workspaceId: string, claim: Claim): HeldClaim | undefined {
    const key = keyOf(table, workspaceId, claim);
    const held = this.#held.get(key);
    this.#held.delete(key);
    return held;
  }

  all(): readonly HeldClaim[] {
    return [...this.#held.values()];
  }
}

function keyOf(table: ClaimedTable, workspaceId: string, { id, token }: Claim): string {
  return JSON.stringify([table, workspaceId, id, token]);
}

/** How many attempts to one subscription can run at once, in all replicas together. */
export interface RunningLimits {
  /** The limit for a subscription that acknowledges deliveries. */
  readonly most: number;
  /** The limit for a subscription whose last attempt failed. */
  readonly whileFailing: number;
}

/** The dependencies of all records of a replica, or of those of one workspace. */
export interface ReplicaContext<Connected extends Statements = Database> {
  readonly database: Connected;
  /** How long a claim is valid after its last renewal. In milliseconds. */
  readonly lease: number;
  /** Identifies this replica in its claims. */
  readonly replica: string;
  /** Undefined: no limit. */
  readonly running: RunningLimits | undefined;
  readonly held: HeldClaims;
  readonly setAside: SetAside;
}

export type WorkspaceContext = ReplicaContext<Statements>;

/** Returns the error of a method that needs the workspace, if the workspace does not exist. Its keys are not valid either. */
export function missingWorkspace(): ServiceError {
  return new ServiceError(
    'unauthorized',
    'No workspace of this store has this id: it was deleted, or never created.',
  );
}
