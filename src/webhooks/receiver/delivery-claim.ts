import type { DedupeClaim, DedupeStore } from '../dedupe/dedupe-store.js';
import { ReceiverError } from './receiver-error.js';

/** How long things are remembered, in milliseconds. */
export interface ClaimTimes {
  readonly lease: number;
  readonly ttl: number;
}

/** Claims deliveries in a store. */
export class DeliveryClaims {
  readonly #store: DedupeStore;
  readonly #times: ClaimTimes;
  #name: string | undefined;
  #count = 0;

  constructor(store: DedupeStore, times: ClaimTimes) {
    this.#store = store;
    this.#times = times;
  }

  /**
   * Claims a delivery, or says who has it.
   *
   * @throws ReceiverError for an answer that no store may give, and whatever the store rejects with.
   */
  async claim(key: string): Promise<DeliveryClaim | Exclude<DedupeClaim, 'claimed'>> {
    const claim = new DeliveryClaim(this.#store, key, this.#nextHolder(), this.#times);
    try {
      const answer: unknown = await claim.begin();
      if (answer === 'claimed') return claim;
      // Anything but the three words stops the delivery here.
      if (answer === 'in_progress' || answer === 'done') return answer;
      throw wrongAnswer('claim', answer, "'claimed', 'in_progress' or 'done'");
    } catch (error) {
      // The store may have claimed it all the same. Nobody waits for the release, and a claim that is left ends by itself.
      claim.release().catch(() => {});
      throw error;
    }
  }

  #nextHolder(): string {
    // Made at the first delivery: some platforms give no random numbers while they load a program.
    this.#name ??= globalThis.crypto.randomUUID();
    this.#count += 1;
    return `${this.#name}/${this.#count}`;
  }
}

/** A delivery's claim on being handled. */
export class DeliveryClaim {
  readonly #store: DedupeStore;
  readonly #key: string;
  readonly #holder: string;
  readonly #times: ClaimTimes;

  constructor(store: DedupeStore, key: string, holder: string, times: ClaimTimes) {
    this.#store = store;
    this.#key = key;
    this.#holder = holder;
    this.#times = times;
  }

  /** Asks the store for the claim. */
  begin(): Promise<unknown> {
    return this.#store.claim(this.#key, this.#lease);
  }

  /** Begins the lease anew, and says whether the claim still holds. */
  async renew(): Promise<boolean> {
    const answer: unknown = await this.#store.renew(this.#key, this.#lease);
    if (typeof answer === 'boolean') return answer;
    throw wrongAnswer('renew', answer, 'true or false');
  }

  /** Remembers the delivery as handled. */
  async commit(): Promise<void> {
    await this.#store.commit(this.#key, { holder: this.#holder, ttl: this.#times.ttl });
  }

  /** Lets the next attempt handle the delivery. */
  async release(): Promise<void> {
    await this.#store.release(this.#key, { holder: this.#holder });
  }

  get #lease() {
    return { holder: this.#holder, lease: this.#times.lease };
  }
}

function wrongAnswer(verb: 'claim' | 'renew', answer: unknown, allowed: string): ReceiverError {
  // Only words of the language are repeated: anything else may hold what is not for a log.
  const given =
    answer === null || answer === true || answer === false ? `${answer}` : `a value of type ${typeof answer}`;
  return new ReceiverError(
    'store_fault',
    `The dedupe store's ${verb}() resolved to ${given}; it must resolve to ${allowed}. Correct the store.`,
  );
}
