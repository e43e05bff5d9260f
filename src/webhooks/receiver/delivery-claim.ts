import type { WebhookEvent } from '../../contract/delivery.js';
import type { DedupeClaim, DedupeStore } from '../dedupe/dedupe-store.js';
import { sha256 } from './sha256.js';

/** A delivery's claim on being handled. */
export interface DeliveryClaim {
  /** Remembers the delivery as handled. */
  commit(): Promise<void>;
  /** Lets the next attempt handle it. */
  release(): Promise<void>;
}

/** How long things are remembered, in milliseconds. */
export interface ClaimTimes {
  readonly lease: number;
  readonly ttl: number;
}

/** Claims a delivery by every key it is known by, or says who else has one of them. */
export async function claimDelivery(
  store: DedupeStore,
  rawBody: Uint8Array,
  event: WebhookEvent,
  { lease, ttl }: ClaimTimes,
): Promise<DeliveryClaim | Exclude<DedupeClaim, 'claimed'>> {
  const keys = keysOf(rawBody, event);
  const holder = globalThis.crypto.randomUUID();
  const claimed: string[] = [];
  const release = async () => {
    await Promise.all(claimed.map((key) => store.release(key, { holder })));
  };
  // One after the other and always in this order: of two duplicates that claimed at once, each could get one key.
  for (const key of keys) {
    const claim = await store.claim(key, { holder, lease }).catch(async (error: unknown) => {
      // The store's first failure is the one to tell of; what could not be released ends with its lease.
      await release().catch(() => {});
      throw error;
    });
    if (claim === 'claimed') {
      claimed.push(key);
      continue;
    }
    await release();
    return claim;
  }
  const commit = async () => {
    await Promise.all(claimed.map((key) => store.commit(key, { holder, ttl })));
  };
  return { commit, release };
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
