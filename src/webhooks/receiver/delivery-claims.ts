import type { WebhookEvent } from '../../contract/delivery.js';
import { sha256 } from '../crypto/sha256.js';
import type { DedupeClaim, DedupeStore } from '../dedupe/dedupe-store.js';

/** How long things are remembered, in milliseconds. */
export interface ClaimTimes {
  readonly lease: number;
  readonly ttl: number;
}

/** What a receiver claims from its store, and under which name. */
export class DeliveryClaims {
  readonly #store: DedupeStore;
  readonly #times: ClaimTimes;
  #name: string | undefined;
  #count = 0;

  constructor(store: DedupeStore, times: ClaimTimes) {
    this.#store = store;
    this.#times = times;
  }

  /** Claims a delivery by every key it is known by, or says who else has one of them. */
  async claim(
    rawBody: Uint8Array,
    event: WebhookEvent,
  ): Promise<DeliveryClaim | Exclude<DedupeClaim, 'claimed'>> {
    const claim = new DeliveryClaim(this.#store, this.#nextHolder(), this.#times);
    // One after the other and always in this order: of two duplicates that claimed at once, each could get one key.
    for (const key of keysOf(rawBody, event)) {
      try {
        const answer = await claim.add(key);
        if (answer === 'claimed') continue;
        await claim.release();
        return answer;
      } catch (error) {
        // The store's first failure is the one to tell of; what could not be released ends with its lease.
        await claim.release().catch(() => {});
        throw error;
      }
    }
    return claim;
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
  readonly #holder: string;
  readonly #times: ClaimTimes;
  readonly #keys: string[] = [];

  constructor(store: DedupeStore, holder: string, times: ClaimTimes) {
    this.#store = store;
    this.#holder = holder;
    this.#times = times;
  }

  /** Claims one key more. */
  async add(key: string): Promise<DedupeClaim> {
    const answer = await this.#store.claim(key, { holder: this.#holder, lease: this.#times.lease });
    if (answer === 'claimed') this.#keys.push(key);
    return answer;
  }

  /** Begins the lease anew, and says whether the claim still holds. */
  async renew(): Promise<boolean> {
    const options = { holder: this.#holder, lease: this.#times.lease };
    const renewed = await Promise.all(this.#keys.map((key) => this.#store.renew(key, options)));
    return renewed.every(Boolean);
  }

  /** Remembers the delivery as handled. */
  async commit(): Promise<void> {
    const options = { holder: this.#holder, ttl: this.#times.ttl };
    await Promise.all(this.#keys.map((key) => this.#store.commit(key, options)));
  }

  /** Lets the next attempt handle it. */
  async release(): Promise<void> {
    const options = { holder: this.#holder };
    await Promise.all(this.#keys.map((key) => this.#store.release(key, options)));
  }
}

/**
 * A retry has the bytes of the first attempt. A message is also known by its provider's id, in case the service ever
 * writes the same message anew. Hashed, so that a store needs no care for what is in an id or how long it is.
 */
function keysOf(rawBody: Uint8Array, { event, workspaceId, data }: WebhookEvent): readonly string[] {
  const delivery = `delivery:${sha256(rawBody)}`;
  const { messageId } = data;
  // The shape may have drifted: what is not there, or is no id, tells no message from another.
  const isKnown = event === 'message.received' && isId(workspaceId) && isId(messageId);
  return isKnown ? [delivery, `message:${sha256(JSON.stringify([workspaceId, messageId]))}`] : [delivery];
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
