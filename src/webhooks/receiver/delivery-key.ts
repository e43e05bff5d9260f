import type { WebhookEvent } from '../../contract/delivery.js';
import { toHex } from '../crypto/bytes.js';
import { sha256 } from '../crypto/sha256.js';
import type { WebhookSecret } from '../verification/secret.js';

/**
 * The key by which a dedupe store knows a delivery. A message is known by its provider's id, which is the same in each
 * attempt and also if the service ever writes the message anew; any other event by its signature, which stands for its
 * bytes. Both depend on the secret, so that two subscriptions to one event have a key each, and no sender can claim what
 * another one sends. Hashed, so that it tells a reader of the store nothing, and its length is fixed.
 *
 * @param signature - Verified with the secret.
 */
export function deliveryKey(event: WebhookEvent, secret: WebhookSecret, signature: string): string {
  const { workspaceId } = event;
  const { messageId } = event.data;
  // The shape may have drifted: what is missing, or is no id, does not tell one message from another.
  if (event.event !== 'message.received' || !isId(workspaceId) || !isId(messageId)) {
    return `delivery:${sha256(signature.toLowerCase())}`;
  }
  const scope = typeof secret === 'string' ? secret : { bytes: toHex(secret) };
  return `message:${sha256(JSON.stringify([scope, workspaceId, messageId]))}`;
}

/** The key of a delivery for which the user has an own one. */
export function ownDeliveryKey(key: unknown): string {
  if (!isId(key)) throw new TypeError('dedupeKey must return a string that is not empty.');
  return `own:${sha256(key)}`;
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
