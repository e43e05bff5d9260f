/**
 * The result of a claim.
 *
 * - `claimed`: the caller holds the delivery until the lease ends.
 * - `in_progress`: another holder has it now.
 * - `done`: it has been handled.
 */
export type DedupeClaim = 'claimed' | 'in_progress' | 'done';

/**
 * Records which deliveries have been handled and which are being handled, so that a receiver handles each delivery once, although the
 * service may send it several times. `createMemoryDedupeStore` is the store for a single process.
 *
 * Keys are ASCII, have at most 80 characters, and are hashes. If several applications share a store, give each its own prefix.
 */
export interface DedupeStore {
  /**
   * Claims a key atomically: of any number of concurrent claims, one gets `claimed`. The holder of a claim that claims again gets
   * `claimed`, because a client that lost its connection may send a command twice. A claim ends after `lease` milliseconds, so that
   * the claim of a dead process does not block the service's retries.
   */
  claim(key: string, options: { readonly holder: string; readonly lease: number }): Promise<DedupeClaim>;
  /**
   * Renews the lease of a claim, and returns whether it did. It does nothing if the lease is over, another holder has the key, or the
   * key is done. A receiver renews its claims while handlers run, so a lease detects a dead holder, not a slow one.
   */
  renew(key: string, options: { readonly holder: string; readonly lease: number }): Promise<boolean>;
  /** Marks a key as done for `ttl` milliseconds, even if another holder has it. */
  commit(key: string, options: { readonly holder: string; readonly ttl: number }): Promise<void>;
  /** Releases the claim of this holder, if it still has it. Never undoes a commit. */
  release(key: string, options: { readonly holder: string }): Promise<void>;
}

/** What happens while a store has lost its connection, for a warning. */
export const unclaimed = 'Deliveries that cannot be claimed are answered with 503 until it is back.';
