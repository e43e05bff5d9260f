import type { DeliveryRecord } from '../../server/model/records.js';
import type { Claim } from '../../server/store/claim.js';

/** The tables whose rows are claimed. */
export type ClaimedTable = 'deliveries' | 'events' | 'journey_runs' | 'sends';

/** A claim of this replica. */
export interface HeldClaim extends Claim {
  readonly table: ClaimedTable;
  readonly workspaceId: string;
  /** Of a delivery: as it was claimed. Nobody else changes it while the claim is the latest. */
  readonly delivery?: DeliveryRecord;
  /** Of a journey run: the time for which it was claimed. */
  readonly now?: number;
}

/** The claims of this replica that nobody has tried to settle yet: their leases are renewed. */
export class HeldClaims {
  readonly #held = new Map<string, HeldClaim>();

  hold(claim: HeldClaim): void {
    this.#held.set(keyOf(claim.table, claim.workspaceId, claim), claim);
  }

  /** The latest claim of this record that this replica has. */
  latest(table: ClaimedTable, workspaceId: string, id: string): HeldClaim | undefined {
    return this.all().findLast(
      (claim) => claim.id === id && claim.table === table && claim.workspaceId === workspaceId,
    );
  }

  /** Takes the claim out, to settle it. Undefined if it is of another replica. */
  take(table: ClaimedTable, workspaceId: string, claim: Claim): HeldClaim | undefined {
    const key = keyOf(table, workspaceId, claim);
    const held = this.#held.get(key);
    this.#held.delete(key);
    return held;
  }

  /** Takes all claims out. */
  takeAll(): readonly HeldClaim[] {
    const held = this.all();
    this.#held.clear();
    return held;
  }

  all(): readonly HeldClaim[] {
    return [...this.#held.values()];
  }
}

function keyOf(table: ClaimedTable, workspaceId: string, { id, token }: Claim): string {
  return JSON.stringify([table, workspaceId, id, token]);
}
