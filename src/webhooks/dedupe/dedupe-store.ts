/**
 * What a store says to whoever wants to handle something.
 *
 * - `claimed`: nobody did; it is yours until the lease ends.
 * - `in_progress`: somebody else has it now.
 * - `done`: it was handled.
 *
 * @example
 * ```ts
 * import type { DedupeClaim } from 'messaging-automation/webhooks';
 *
 * const mayHandle = (claim: DedupeClaim) => claim === 'claimed';
 * ```
 */
export type DedupeClaim = 'claimed' | 'in_progress' | 'done';

/**
 * Remembers which deliveries were handled and which are being handled, so that a receiver handles each of them once
 * though the service sends some of them several times (document §8). `createMemoryDedupeStore` is one, for a single
 * process.
 *
 * Keys are ASCII, at most 80 characters, and hold nothing of the delivery in the clear. A store that several receivers
 * share must keep their keys apart (by a prefix, say): two subscriptions get the same bytes, and each is to be handled.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver, type DedupeStore } from 'messaging-automation/webhooks';
 *
 * // Enough to show the promises; it forgets nothing and no lease ends.
 * const holders = new Map<string, string>();
 * const dedupe: DedupeStore = {
 *   async claim(key, { holder }) {
 *     const found = holders.get(key);
 *     if (found === undefined) holders.set(key, holder);
 *     if (found === undefined) return 'claimed';
 *     return found === 'done' ? 'done' : 'in_progress';
 *   },
 *   async renew(key, { holder }) {
 *     return holders.get(key) === holder;
 *   },
 *   async commit(key) {
 *     holders.set(key, 'done');
 *   },
 *   async release(key, { holder }) {
 *     if (holders.get(key) === holder) holders.delete(key);
 *   },
 * };
 * const receiver = createWebhookReceiver({ secret: 'whsec_example', dedupe });
 * ```
 */
export interface DedupeStore {
  /**
   * Claims a key in one atomic step: of any number of claims at once, one gets `claimed`. A claim ends by itself
   * after `lease` milliseconds, so that one whose holder died does not stand in the way of the service's retries.
   */
  claim(key: string, options: { readonly holder: string; readonly lease: number }): Promise<DedupeClaim>;
  /**
   * Begins the lease of a claim anew, and says whether it did: it does nothing where the lease is over, somebody else
   * has the key, or it is done. A receiver renews its claims for as long as their handlers run, so that a lease tells of
   * a holder that died and not of one that is slow.
   */
  renew(key: string, options: { readonly holder: string; readonly lease: number }): Promise<boolean>;
  /** Marks a key as done for `ttl` milliseconds, whoever holds it: what was done was done. */
  commit(key: string, options: { readonly holder: string; readonly ttl: number }): Promise<void>;
  /** Gives a claim up, if it is still this holder's. Never undoes a commit. */
  release(key: string, options: { readonly holder: string }): Promise<void>;
}
