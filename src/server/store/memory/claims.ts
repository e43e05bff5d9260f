import type { Claim } from '../claim.js';

/** How long a claim holds, by the store's own time. */
export interface Lease {
  /** In milliseconds. */
  readonly duration: number;
  /** Milliseconds since any fixed moment. */
  readonly now: () => number;
}

/** A claim that holds until it is settled: for a memory that no other process shares. */
export const endlessLease: Lease = { duration: Number.POSITIVE_INFINITY, now: () => 0 };

/** Makes tokens that no claim of the workspace has had. */
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

  /** Claims a record that nobody holds. */
  claim(id: string): Claim {
    const token = this.#newToken();
    this.#holds.set(id, { token, until: this.#lease.now() + this.#lease.duration });
    return { id, token };
  }

  isHeld(id: string): boolean {
    const hold = this.#holds.get(id);
    return hold !== undefined && hold.until > this.#lease.now();
  }

  /** Ends the claim. False where it is not the latest of its record, or has ended. */
  settle({ id, token }: Claim): boolean {
    return this.#holds.get(id)?.token === token && this.#holds.delete(id);
  }

  /** Ends whatever claim there is on a record that is gone. */
  drop(id: string): void {
    this.#holds.delete(id);
  }

  /** Those of the records that were claimed and whose lease has run out, in the order in which they are given. */
  expired(ids: Iterable<string>): readonly string[] {
    if (this.#lease.duration === Number.POSITIVE_INFINITY) return [];
    return [...ids].filter((id) => this.has(id) && !this.isHeld(id));
  }

  /** Whether there is a claim, though its lease may have run out. */
  has(id: string): boolean {
    return this.#holds.has(id);
  }
}
