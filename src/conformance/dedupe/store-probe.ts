import type { DedupeClaim, DedupeStore } from '../../webhooks/dedupe/dedupe-store.js';

/**
 * A dedupe store for one check, and how its time passes.
 *
 * @example
 * ```ts
 * import type { DedupeStoreUnderTest } from 'messaging-automation/conformance';
 * import { createMemoryDedupeStore } from 'messaging-automation/webhooks';
 *
 * let now = 0;
 * const subject: DedupeStoreUnderTest = {
 *   store: createMemoryDedupeStore({ clock: { now: () => now } }),
 *   passTime: (milliseconds) => {
 *     now += milliseconds;
 *   },
 * };
 * ```
 */
export interface DedupeStoreUnderTest {
  /** The store. It may hold keys of others: each check makes keys of its own. */
  readonly store: DedupeStore;
  /**
   * Lets time pass for the store: by a clock in the test's hands, by shortening what each key has left, or by waiting
   * for real with a short `lease`.
   */
  passTime(milliseconds: number): Promise<void> | void;
  /**
   * The lease of the checks' claims in milliseconds. The checks let up to five leases pass. Default: 60,000. Where time
   * passes for real, the shortest that no single call outlasts, such as 2,000.
   */
  readonly lease?: number | undefined;
}

/** A store with a key that no other check uses, and the calls of a check in few words. */
export class StoreProbe {
  readonly store: DedupeStore;
  readonly lease: number;
  /** How long a commit is remembered. */
  readonly ttl: number;
  readonly key: string;
  readonly #subject: DedupeStoreUnderTest;

  constructor(subject: DedupeStoreUnderTest) {
    this.#subject = subject;
    this.store = subject.store;
    this.lease = subject.lease ?? 60_000;
    this.ttl = this.lease * 3;
    this.key = this.newKey();
  }

  /** In the form that a receiver's keys have. */
  newKey(): string {
    const bytes = globalThis.crypto.getRandomValues(new Uint8Array(32));
    return `delivery:${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  }

  claim(holder: string, key = this.key): Promise<DedupeClaim> {
    return this.store.claim(key, { holder, lease: this.lease });
  }

  renew(holder: string): Promise<boolean> {
    return this.store.renew(this.key, { holder, lease: this.lease });
  }

  commit(holder: string, key = this.key): Promise<void> {
    return this.store.commit(key, { holder, ttl: this.ttl });
  }

  release(holder: string, key = this.key): Promise<void> {
    return this.store.release(key, { holder });
  }

  /** Lets this many leases pass, and a little more where they have to be over. */
  async pass(leases: number): Promise<void> {
    await this.#subject.passTime(Math.ceil(leases * this.lease) + 1);
  }

  /** A hundred claims at once. */
  claimAtOnce(): Promise<DedupeClaim[]> {
    return Promise.all(Array.from({ length: 100 }, (_, index) => this.claim(`holder ${index}`)));
  }
}

/** Throws unless a store gave what it promises. */
export function expectGiven(what: string, given: unknown, promised: unknown): void {
  if (Object.is(given, promised)) return;
  throw new Error(`${what} must give ${written(promised)}, and gives ${written(given)}.`);
}

function written(value: unknown): string {
  if (typeof value === 'string') return `"${value}"`;
  return typeof value === 'object' || typeof value === 'function'
    ? `a value of type ${typeof value}`
    : String(value);
}
