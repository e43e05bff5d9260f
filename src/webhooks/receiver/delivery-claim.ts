import type { WebhookEvent } from '../../contract/delivery.js';
import { atMost, type Clock } from '../../foundation/clock.js';
import { fromUtf8, toHex } from '../crypto/bytes.js';
import { sha256 } from '../crypto/digests.js';
import type { DedupeClaim, DedupeStore } from '../dedupe/dedupe-store.js';
import type { WebhookSecret } from '../verification/secret.js';
import { ReceiverError } from './errors.js';
import { letTurnsPass } from './waits.js';

/** How many handled deliveries a process remembers that the store could not record. */
const unrecordedAtMost = 10_000;

/** How often a delivery that is not free is claimed again, in milliseconds. */
const betweenTries = 500;

/** Several in one lease, so that one failed renewal does not end the claim. */
const renewalsPerLease = 3;

/** What the claims of a process share: the store, and what the process knows beyond what the store does. */
export const createClaims = (
  store: DedupeStore,
  /** How long claims and commits last, in milliseconds. */
  times: { readonly lease: number; readonly ttl: number },
) => ({
  store,
  times,
  /** The keys of handled deliveries that the store has not recorded yet, oldest first. */
  unrecorded: new Set<string>(),
  /** The claims that this process has and has not settled, by their keys. The store may have lost them. */
  held: new Map<string, DeliveryClaim>(),
});

type DeliveryClaims = ReturnType<typeof createClaims>;

/** The claim of a delivery. */
export class DeliveryClaim {
  readonly #claims: DeliveryClaims;
  readonly #key: string;
  readonly #holder = globalThis.crypto.randomUUID();
  /** Resolves when the claim is settled. */
  readonly settled: Promise<void>;
  #settle = () => {};
  /** Whether the store may have the claim although it did not say so. */
  #isInDoubt = false;
  #isEnding = false;
  #claimingAgain: Promise<unknown> | undefined;
  #isRenewing = false;
  #cancelRenewal = () => {};

  constructor(claims: DeliveryClaims, key: string) {
    this.#claims = claims;
    this.#key = key;
    this.settled = new Promise((resolve) => {
      this.#settle = () => {
        claims.held.delete(key);
        resolve();
      };
    });
  }

  async begin(): Promise<DedupeClaim> {
    const { store, unrecorded, held } = this.#claims;
    if (unrecorded.has(this.#key)) return 'done';
    if (held.has(this.#key)) return 'in_progress';
    this.#isInDoubt = true;
    const response: unknown = await store.claim(this.#key, this.#lease);
    // Any value other than the three valid ones fails the delivery.
    if (response !== 'claimed' && response !== 'in_progress' && response !== 'done') {
      throw wrongResult('claim', response, "'claimed', 'in_progress' or 'done'");
    }
    this.#isInDoubt = false;
    if (response === 'claimed') held.set(this.#key, this);
    return response;
  }

  /** Waits until another try may have another result. */
  async change(clock: Clock): Promise<void> {
    const otherOfProcess = this.#claims.held.get(this.#key);
    await atMost(clock, betweenTries, otherOfProcess?.settled ?? new Promise<void>(() => {}), () => {});
  }

  /** Gives up a claim that was not obtained. Does not wait for the store: a remaining claim expires. */
  abandon(): void {
    if (!this.#isInDoubt) return;
    const release = async () => this.#claims.store.release(this.#key, { holder: this.#holder });
    release().catch(() => {});
  }

  /** Renews the claim until it is stopped, or until another holder has the delivery. The claim of a dead process expires. */
  async keepRenewing(clock: Clock, report: (error: unknown) => void): Promise<void> {
    this.#isRenewing = true;
    const wait = () => {
      this.#cancelRenewal = clock.setTimer(renew, this.#claims.times.lease / renewalsPerLease);
    };
    const renew = async () => {
      wait(); // does not wait for the store
      try {
        if ((await this.#renew()) || !this.#isRenewing) return;
        this.stopRenewing();
        report(claimLost());
      } catch (error) {
        if (this.#isRenewing) report(error);
      }
    };
    await letTurnsPass(() => !this.#isRenewing);
    if (this.#isRenewing) wait();
  }

  stopRenewing(): void {
    this.#isRenewing = false;
    this.#cancelRenewal();
  }

  /** Renews the lease, and returns whether the claim is still valid. A claim that the store has lost is claimed again. */
  async #renew(): Promise<boolean> {
    const response: unknown = await this.#claims.store.renew(this.#key, this.#lease);
    if (typeof response !== 'boolean') throw wrongResult('renew', response, 'true or false');
    if (response || this.#isEnding) return true;
    this.#claimingAgain = this.#claims.store.claim(this.#key, this.#lease);
    return (await this.#claimingAgain) === 'claimed';
  }

  /** Records that the delivery was handled. Until that has succeeded, this process remembers it. */
  async commit(): Promise<void> {
    this.#isEnding = true;
    const { store, times, unrecorded } = this.#claims;
    const [oldest] = unrecorded;
    if (oldest !== undefined && unrecorded.size >= unrecordedAtMost) unrecorded.delete(oldest);
    unrecorded.add(this.#key);
    this.#settle();
    await store.commit(this.#key, { holder: this.#holder, ttl: times.ttl });
    unrecorded.delete(this.#key);
  }

  /** Releases the claim, so that the next attempt can handle the delivery. */
  async release(): Promise<void> {
    this.#isEnding = true;
    try {
      await this.#claimingAgain?.catch(() => {});
      await this.#claims.store.release(this.#key, { holder: this.#holder });
    } finally {
      this.#settle();
    }
  }

  get #lease() {
    return { holder: this.#holder, lease: this.#claims.times.lease };
  }
}

function claimLost(): ReceiverError {
  return new ReceiverError(
    'claim_lost',
    'The claim on a delivery ended while its handlers ran, so another process may handle the delivery too. ' +
      'Check that the dedupe store keeps keys for as long as it is asked to, and that nothing blocks this process ' +
      'for as long as `lease`.',
  );
}

function wrongResult(verb: 'claim' | 'renew', response: unknown, allowed: string): ReceiverError {
  // Quote only these three values. Any other value may contain private data.
  const given =
    response === null || response === true || response === false
      ? `${response}`
      : `a value of type ${typeof response}`;
  return new ReceiverError(
    'store_fault',
    `The dedupe store's ${verb}() resolved to ${given}; it must resolve to ${allowed}. Correct the store.`,
  );
}

/**
 * The key of a delivery in a dedupe store. The key of a message depends on the provider's message id, which is the same in each attempt,
 * even if the service serializes the message again. The key of any other event depends on the signature, and so on the bytes. Both keys
 * depend on the secret, so that two subscriptions to one event have different keys, and no sender can claim another sender's delivery.
 * The key is a hash, so that the store contains no readable data, and its length is fixed.
 *
 * @param signature - The signature that the secret verified.
 */
export function deliveryKey(event: WebhookEvent, secret: WebhookSecret, signature: string): string {
  const { workspaceId } = event;
  const { messageId } = event.data;
  // Without a valid message id, which may be missing in an unexpected shape, use the signature.
  if (event.event !== 'message.received' || !isId(workspaceId) || !isId(messageId)) {
    return `delivery:${sha256(signature.toLowerCase())}`;
  }
  return `message:${sha256(JSON.stringify([scopeOf(secret), workspaceId, messageId]))}`;
}

/** The same for a secret as text and as its bytes, which two processes of one receiver may have. */
function scopeOf(secret: WebhookSecret): string | { readonly bytes: string } {
  return typeof secret === 'string' ? secret : (fromUtf8(secret) ?? { bytes: toHex(secret) });
}

/** The key of a delivery if the user's `dedupeKey` returned an identity. */
export function ownDeliveryKey(key: unknown): string {
  if (!isId(key)) throw new TypeError('dedupeKey must return a string that is not empty.');
  return `own:${sha256(key)}`;
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
