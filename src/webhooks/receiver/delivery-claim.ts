import type { DedupeClaim, DedupeStore } from '../dedupe/dedupe-store.js';
import { ReceiverError } from './receiver-error.js';

/** How long claims and commits last, in milliseconds. */
export interface ClaimTimes {
  readonly lease: number;
  readonly ttl: number;
}

/** How many handled deliveries a process remembers that the store could not record. */
const unrecordedAtMost = 10_000;

/** Claims deliveries in a store. */
export class DeliveryClaims {
  readonly #store: DedupeStore;
  readonly #times: ClaimTimes;
  /** The keys of handled deliveries that the store has not recorded yet, oldest first. */
  readonly #unrecorded = new Set<string>();
  #name: string | undefined;
  #count = 0;

  constructor(store: DedupeStore, times: ClaimTimes) {
    this.#store = store;
    this.#times = times;
  }

  /**
   * Claims a delivery, or returns its state if it is not free.
   *
   * @throws ReceiverError if the store returns an invalid value. Rejects with the store's error if the store rejects.
   */
  async claim(key: string): Promise<DeliveryClaim | Exclude<DedupeClaim, 'claimed'>> {
    if (this.#unrecorded.has(key)) return 'done';
    const claim = new DeliveryClaim(this.#store, key, this.#nextHolder(), this.#times, this.#unrecorded);
    try {
      const answer: unknown = await claim.begin();
      if (answer === 'claimed') return claim;
      // Any value other than the three valid ones fails the delivery.
      if (answer === 'in_progress' || answer === 'done') return answer;
      throw wrongAnswer('claim', answer, "'claimed', 'in_progress' or 'done'");
    } catch (error) {
      // The store may have claimed it nevertheless. Do not wait for the release: a remaining claim expires.
      claim.release().catch(() => {});
      throw error;
    }
  }

  #nextHolder(): string {
    // Created at the first delivery, because some platforms provide no random numbers while they load a program.
    this.#name ??= globalThis.crypto.randomUUID();
    this.#count += 1;
    return `${this.#name}/${this.#count}`;
  }
}

/** The claim of a delivery. */
export class DeliveryClaim {
  readonly #store: DedupeStore;
  readonly #key: string;
  readonly #holder: string;
  readonly #times: ClaimTimes;
  readonly #unrecorded: Set<string>;

  constructor(store: DedupeStore, key: string, holder: string, times: ClaimTimes, unrecorded: Set<string>) {
    this.#unrecorded = unrecorded;
    this.#store = store;
    this.#key = key;
    this.#holder = holder;
    this.#times = times;
  }

  /** Claims the delivery in the store. */
  begin(): Promise<unknown> {
    return this.#store.claim(this.#key, this.#lease);
  }

  /** Renews the lease, and returns whether the claim is still valid. */
  async renew(): Promise<boolean> {
    const answer: unknown = await this.#store.renew(this.#key, this.#lease);
    if (typeof answer === 'boolean') return answer;
    throw wrongAnswer('renew', answer, 'true or false');
  }

  /** Records that the delivery was handled. Until that has succeeded, this process remembers it. */
  async commit(): Promise<void> {
    if (this.#unrecorded.size >= unrecordedAtMost) {
      for (const oldest of this.#unrecorded) {
        this.#unrecorded.delete(oldest);
        break;
      }
    }
    this.#unrecorded.add(this.#key);
    await this.#store.commit(this.#key, { holder: this.#holder, ttl: this.#times.ttl });
    this.#unrecorded.delete(this.#key);
  }

  /** Releases the claim, so that the next attempt can handle the delivery. */
  async release(): Promise<void> {
    await this.#store.release(this.#key, { holder: this.#holder });
  }

  get #lease() {
    return { holder: this.#holder, lease: this.#times.lease };
  }
}

function wrongAnswer(verb: 'claim' | 'renew', answer: unknown, allowed: string): ReceiverError {
  // Quote only these three values. Any other value may contain private data.
  const given =
    answer === null || answer === true || answer === false ? `${answer}` : `a value of type ${typeof answer}`;
  return new ReceiverError(
    'store_fault',
    `The dedupe store's ${verb}() resolved to ${given}; it must resolve to ${allowed}. Correct the store.`,
  );
}
