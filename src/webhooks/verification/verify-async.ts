import { toOwnBytes } from '../crypto/bytes.js';
import { webCryptoHmac } from '../crypto/digests.js';
import { type RawBody, readRawBody } from './raw-body.js';
import { readSecrets, type WebhookSecret } from './secret.js';
import { isSameDigest, readSignature, type WebhookSignature } from './signature.js';
import { refusedSignature } from './verification-error.js';

/**
 * Verifies a delivery with WebCrypto, which hashes large bodies outside of the main thread. It takes the arguments of `verifyWebhook`.
 *
 * It does not resolve to a boolean, because a promise is truthy: `if (verifyWebhookAsync(...))` without `await` would accept everything.
 * It resolves to a copy of the verified bytes, and rejects for a wrong signature. Code that parses the result cannot forget the `await`.
 *
 * @param rawBody - The body's bytes exactly as received, or the string decoded from them.
 * @param signature - The value of `X-Service-Signature`.
 * @param secret - The subscription's secret, including `whsec_`, or several while a new one replaces an old one.
 * @returns The verified bytes.
 * @throws WebhookVerificationError with the reason `missing_signature`, `malformed_signature`,
 *   `ambiguous_signature` or `signature_mismatch`.
 * @throws TypeError for the same mistakes as `verifyWebhook`.
 *
 * @example
 * ```ts
 * import { signWebhookAsync, verifyWebhookAsync } from 'messaging-automation/webhooks';
 *
 * const secret = 'whsec_example';
 * const rawBody = new TextEncoder().encode('{"event":"message.received"}');
 * const signature = await signWebhookAsync(rawBody, secret);
 *
 * const verified = await verifyWebhookAsync(rawBody, signature, secret);
 * console.log(JSON.parse(new TextDecoder().decode(verified)));
 * ```
 */
export async function verifyWebhookAsync(
  rawBody: RawBody,
  signature: WebhookSignature,
  secret: WebhookSecret | readonly WebhookSecret[],
): Promise<Uint8Array> {
  const body = toOwnBytes(readRawBody(rawBody));
  const keys = readSecrets(secret);
  const received = readSignature(signature);
  if (received === undefined) throw refusedSignature(signature);
  const digests = await Promise.all(keys.map((key) => webCryptoHmac(key, body)));
  const matches = digests.filter((digest) => isSameDigest(digest, received));
  if (matches.length === 0) throw refusedSignature(signature);
  return body;
}
