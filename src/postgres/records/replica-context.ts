import type { DeliveryRecord } from '../../server/model/records.js';
import { ServiceError } from '../../server/model/service-error.js';
import type { Claim } from '../../server/store/store.js';
import type { Database, Statements } from '../database/connection.js';
import type { SetAside } from './set-aside.js';

/** The tables whose rows are claimed, and the table of the claims of deliveries. */
export type ClaimedTable = 'claims' | 'events' | 'journey_runs' | 'sends';

/** A claim of this replica. */
export interface HeldClaim extends Claim {
  readonly table: ClaimedTable;
  /** The id of the workspace, as `toText` writes it. */
  readonly workspace: string;
  /** For a delivery: its content at the claim. No one else changes it while the claim is the latest. */
  readonly delivery?: DeliveryRecord;
  /** For a journey run: the time for which it was claimed. */
  readonly now?: number;
}

/** The unsettled claims of this replica, whose leases it renews. */
export class HeldClaims {
  readonly #held = new Map<string, HeldClaim>();

  hold(claim: HeldClaim): void {
    this.#held.set(keyOf(claim), claim);
  }

  /** Returns this replica's latest claim of a journey run. */
  latestOfRun(workspace: string, runId: string): HeldClaim | undefined {
    return this.all().findLast(
      (claim) => claim.id === runId && claim.table === 'journey_runs' && claim.workspace === workspace,
    );
  }

  /** Removes and returns the claim, to settle it. Undefined if it belongs to another replica. */
  take(claim: Claim): HeldClaim | undefined {
    const held = this.#held.get(keyOf(claim));
    this.#held.delete(keyOf(claim));
    return held;
  }

  all(): readonly HeldClaim[] {
    return [...this.#held.values()];
  }
}

/** A statement that claims has a token of its own, and claims rows of one table of one workspace. */
function keyOf({ id, token }: Claim): string {
  return `${token} ${id}`;
}

/** Which workspace is meant, of all that ever have its id. */
export interface WorkspaceIdentity {
  /** The number of the workspace, when it was found. */
  number: number | undefined;
}

/** SQL: the column has the number in a parameter, or the parameter is null, because the workspace was not found yet. */
export function isSame(column: string, parameter: number): string {
  return `${column} = coalesce($${parameter}::bigint, ${column})`;
}

/** What the records of a replica work with. */
export interface ReplicaContext {
  readonly database: Database;
  /** How long a claim is valid after its last renewal. In milliseconds. */
  readonly lease: number;
  /** Identifies this replica in its claims. */
  readonly replica: string;
  /** How many attempts to one subscription can run at once, in all replicas together. Default: no limit. */
  readonly running?: { readonly most: number; readonly whileFailing: number };
  readonly held: HeldClaims;
  /** The workspaces whose clocks this replica is moving. */
  readonly moving: Set<string>;
}

/** What the records of one workspace work with. */
export interface RecordsContext extends Omit<ReplicaContext, 'database'> {
  /** The id of the workspace, as `toText` writes it. */
  readonly workspace: string;
  readonly identity: WorkspaceIdentity;
  readonly database: Statements;
  readonly setAside: SetAside;
}

/** Returns the error of a method that needs the workspace, if the workspace does not exist. Its keys are not valid either. */
export function missingWorkspace(): ServiceError {
  return new ServiceError(
    'unauthorized',
    'No workspace of this store has this id: it was deleted, or never created.',
  );
}
