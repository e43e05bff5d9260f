import { hmacSha256 } from '../crypto/digests.js';
import { type RawBody, readRawBody } from './raw-body.js';
import { readSecrets, type WebhookSecret } from './secret.js';
import { isSameDigest, readSignature, type WebhookSignature } from './signature.js';

/**
 * Verifies that the secret has signed the body: the signature is the hexadecimal HMAC-SHA256 of the raw body. Synchronous, and in
 * constant time for signatures of the right form.
 *
 * It does not check the age of the delivery. `unwrapWebhook` does, and returns the typed event.
 *
 * @param rawBody - The body's bytes exactly as received, or the string decoded from them.
 * @param signature - The value of `X-Service-Signature`: exactly 64 hex digits of either case. For any other value, including a missing
 *   header or a header with two values, the function returns `false` and does not throw.
 * @param secret - The subscription's secret, including `whsec_`, or several while a new one replaces an old one.
 * @returns True only if the signature is right for one of the secrets.
 * @throws TypeError for a mistake in your code: a parsed body or a request instead of raw bytes, a string that cannot be UTF-8, an empty,
 *   blank or damaged secret, or an empty list of secrets.
 *
 * @example
 * ```ts
 * import { signWebhook, verifyWebhook } from 'messaging-automation/webhooks';
 *
 * const secret = 'whsec_example';
 * const rawBody = '{"event":"message.received"}'; // in a receiver: the request's bytes
 * const signature = signWebhook(rawBody, secret); // in a receiver: the X-Service-Signature header
 *
 * console.log(verifyWebhook(rawBody, signature, secret)); // true
 * console.log(verifyWebhook(`${rawBody} `, signature, secret)); // false
 * ```
 */
export function verifyWebhook(
  rawBody: RawBody,
  signature: WebhookSignature,
  secret: WebhookSecret | readonly WebhookSecret[],
): boolean {
  // Check the body and the secrets first, so that a wrong setup fails for every delivery.
  return indexOfSigner(readRawBody(rawBody), signature, readSecrets(secret)) >= 0;
}

/** Returns the index of the first secret that signed a body, or -1 if none did. */
export function indexOfSigner(
  body: string | Uint8Array,
  signature: WebhookSignature,
  secrets: readonly WebhookSecret[],
): number {
  const received = readSignature(signature);
  if (received === undefined) return -1;
  // Try every secret, so that the time does not reveal which one matched.
  return secrets.map((secret) => isSameDigest(hmacSha256(secret, body), received)).indexOf(true);
}
