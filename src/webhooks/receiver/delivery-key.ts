import type { WebhookEvent } from '../../contract/delivery.js';
import { factsOf } from '../../contract/webhook-events.js';
import { fromUtf8, toHex } from '../crypto/bytes.js';
import { sha256 } from '../crypto/digests.js';
import { isKnownType } from '../verification/delivery.js';
import type { WebhookSecret } from '../verification/secret.js';

/** What identifies a delivery: its event, and the secret and the signature that verified it. */
export interface SignedEvent {
  readonly event: WebhookEvent;
  readonly secret: WebhookSecret;
  /** 64 hex digits. */
  readonly signature: string;
}

/**
 * The name of a delivery in a dedupe store: the same in each attempt, and on each way that it takes through an application. That of a
 * message depends on the provider's message id, which is the same in each attempt, even if the service serializes the message again. That
 * of any other event depends on the signature, and so on the bytes. Both depend on the secret, so that two subscriptions to one event have
 * different names, and no sender can claim another sender's delivery. The name is a hash, so that a store contains no readable data, and its
 * length is fixed. Version 0.2.0 used the same name where handlers ran before the response.
 */
export function nameInStore({ event, secret, signature }: SignedEvent): string {
  const { workspaceId } = event;
  const identity = isKnownType(event.event) ? factsOf(event.event).identity : undefined;
  const id = identity && event.data[identity.field];
  // Without a valid id, which may be missing in an unexpected shape, use the signature.
  if (identity === undefined || !isId(workspaceId) || !isId(id)) {
    return `delivery:${sha256(signature.toLowerCase())}`;
  }
  return `${identity.prefix}:${sha256(JSON.stringify([scopeOf(secret), workspaceId, id]))}`;
}

/** The name of a delivery in a dedupe store if the user's `dedupeKey` returned an identity. */
export function ownNameInStore(identity: unknown): string {
  if (!isId(identity)) throw new TypeError('dedupeKey must return a string that is not empty.');
  return `own:${sha256(identity)}`;
}

/** What separates the deliveries of two secrets. The same for a secret as text and as its bytes, which two processes may have. */
export function scopeOf(secret: WebhookSecret): string | { readonly bytes: string } {
  return typeof secret === 'string' ? secret : (fromUtf8(secret) ?? { bytes: toHex(secret) });
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** The key of a delivery, made of its name: letters, digits and a hyphen, which every queue takes as the id of a job. */
export function deliveryKey(name: string): string {
  return name.replace(':', '-');
}
