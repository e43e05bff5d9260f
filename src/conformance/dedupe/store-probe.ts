import type { DedupeClaim, DedupeStore } from '../../webhooks/dedupe/dedupe-store.js';

/**
 * A dedupe store for one check, and a way to pass its time.
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
  /** The store. It may hold other keys, because each check uses new keys. */
  readonly store: DedupeStore;
  /**
   * Lets time pass for the store: advances a clock of the test, shortens the remaining time of each key, or really waits, with a
   * short `lease`.
   */
  passTime(milliseconds: number): Promise<void> | void;
  /**
   * The lease of the checks' claims, in milliseconds. The checks let up to five leases pass. If time really passes, choose the
   * shortest lease that is longer than any call to the store, such as 2,000. Default: 60,000.
   */
  readonly lease?: number | undefined;
}

/** A store with a key that no other check uses, and shorter methods for the calls. */
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

  /** A key in the form of a receiver's keys. */
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

  /** Passes the time of this many leases, and one millisecond more. */
  async pass(leases: number): Promise<void> {
    await this.#subject.passTime(Math.ceil(leases * this.lease) + 1);
  }

  claimAtOnce(): Promise<DedupeClaim[]> {
    return Promise.all(Array.from({ length: 100 }, (_, index) => this.claim(`holder ${index}`)));
  }
}

/** Throws if a store's result differs from the promised one. */
export function expectGiven(what: string, given: unknown, promised: unknown): void {
  if (Object.is(given, promised)) return;
  throw new Error(`${what} must return ${written(promised)}, and returns ${written(given)}.`);
}

function written(value: unknown): string {
  if (typeof value === 'string') return `"${value}"`;
  return typeof value === 'object' || typeof value === 'function'
    ? `a value of type ${typeof value}`
    : String(value);
}
