import type { Clock } from '../../foundation/clock.js';
import type { DedupeClaim, DedupeStore } from '../dedupe/dedupe-store.js';
import { ReceiverError } from './receiver-error.js';

/** How long claims and commits last, in milliseconds. */
export interface ClaimTimes {
  readonly lease: number;
  readonly ttl: number;
}

/** How many handled deliveries a process remembers that the store could not record. */
const unrecordedAtMost = 10_000;

/** How often a duplicate asks whether another process has settled its claim, in milliseconds. */
const betweenLooks = 500;

/** What this process knows of the deliveries that it has claimed, beyond what the store does. */
class OwnDeliveries {
  /** The keys of handled deliveries that the store has not recorded yet, oldest first. */
  readonly #unrecorded = new Set<string>();
  /** Who waits until a claim is settled, by its key. */
  readonly #waiting = new Map<string, Set<() => void>>();

  isHandled(key: string): boolean {
    return this.#unrecorded.has(key);
  }

  handled(key: string): void {
    const [oldest] = this.#unrecorded;
    if (oldest !== undefined && this.#unrecorded.size >= unrecordedAtMost) this.#unrecorded.delete(oldest);
    this.#unrecorded.add(key);
  }

  recorded(key: string): void {
    this.#unrecorded.delete(key);
  }

  settled(key: string): void {
    for (const end of [...(this.#waiting.get(key) ?? [])]) end();
  }

  /** Waits until the claim of a key is settled by this process, or may have been settled by another one. */
  change(key: string, clock: Clock): Promise<void> {
    const waiting = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, waiting);
    return new Promise((resolve) => {
      const end = () => {
        cancelTimer();
        waiting.delete(end);
        if (waiting.size === 0) this.#waiting.delete(key);
        resolve();
      };
      const cancelTimer = clock.setTimer(end, betweenLooks);
      waiting.add(end);
    });
  }
}

/** Claims deliveries in a store. */
export class DeliveryClaims {
  readonly #store: DedupeStore;
  readonly #times: ClaimTimes;
  readonly #own = new OwnDeliveries();
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
    if (this.#own.isHandled(key)) return 'done';
    const claim = new DeliveryClaim(this.#store, key, this.#nextHolder(), this.#times, this.#own);
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

  /** Waits until another attempt to claim a delivery that is in progress may have another result. */
  change(key: string, clock: Clock): Promise<void> {
    return this.#own.change(key, clock);
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
  readonly #own: OwnDeliveries;

  constructor(store: DedupeStore, key: string, holder: string, times: ClaimTimes, own: OwnDeliveries) {
    this.#store = store;
    this.#key = key;
    this.#holder = holder;
    this.#times = times;
    this.#own = own;
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
    this.#own.handled(this.#key);
    this.#own.settled(this.#key);
    await this.#store.commit(this.#key, { holder: this.#holder, ttl: this.#times.ttl });
    this.#own.recorded(this.#key);
  }

  /** Releases the claim, so that the next attempt can handle the delivery. */
  async release(): Promise<void> {
    try {
      await this.#store.release(this.#key, { holder: this.#holder });
    } finally {
      this.#own.settled(this.#key);
    }
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
