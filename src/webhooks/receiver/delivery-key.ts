import type { WebhookEvent } from '../../contract/delivery.js';
import { toHex } from '../crypto/bytes.js';
import { sha256 } from '../crypto/digests.js';
import type { WebhookSecret } from '../verification/secret.js';

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
  if (typeof secret === 'string') return secret;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(secret);
  } catch {
    return { bytes: toHex(secret) };
  }
}

/** The key of a delivery if the user's `dedupeKey` returned an identity. */
export function ownDeliveryKey(key: unknown): string {
  if (!isId(key)) throw new TypeError('dedupeKey must return a string that is not empty.');
  return `own:${sha256(key)}`;
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
