import type { Claim } from '../claim.js';

/** How long a claim is valid, by the store's own time. */
export interface Lease {
  /** In milliseconds. */
  readonly duration: number;
  /** Milliseconds since any fixed moment. */
  readonly now: () => number;
}

/** A lease without an end, for a store in memory that no other process shares. */
export const endlessLease: Lease = { duration: Number.POSITIVE_INFINITY, now: () => 0 };

/** Creates a token that no other claim of the workspace has had. */
export type NewToken = () => string;

interface Hold {
  readonly token: string;
  readonly until: number;
}

/** The claims of one kind of record. */
export class Claims {
  readonly #lease: Lease;
  readonly #newToken: NewToken;
  /** By the record's id. */
  readonly #holds = new Map<string, Hold>();

  constructor(lease: Lease, newToken: NewToken) {
    this.#lease = lease;
    this.#newToken = newToken;
  }

  /** Claims a record without a running lease. */
  claim(id: string): Claim {
    const token = this.#newToken();
    this.#holds.set(id, { token, until: this.#lease.now() + this.#lease.duration });
    return { id, token };
  }

  isHeld(id: string): boolean {
    const hold = this.#holds.get(id);
    return hold !== undefined && hold.until > this.#lease.now();
  }

  /** Ends the claim. False if it is not the latest of its record, or has ended. */
  settle({ id, token }: Claim): boolean {
    return this.#holds.get(id)?.token === token && this.#holds.delete(id);
  }

  /** Ends the claim on a deleted record, if there is one. */
  drop(id: string): void {
    this.#holds.delete(id);
  }

  /** Returns the given records whose lease has expired, in the given order. */
  expired(ids: Iterable<string>): readonly string[] {
    if (this.#lease.duration === Number.POSITIVE_INFINITY) return [];
    return [...ids].filter((id) => this.has(id) && !this.isHeld(id));
  }

  /** Whether the record has a claim, even an expired one. */
  has(id: string): boolean {
    return this.#holds.has(id);
  }
}
