import { toOwnBytes } from '../crypto/bytes.js';
import { webCryptoHmac } from '../crypto/web-crypto-hmac.js';
import { type RawBody, readRawBody } from './raw-body.js';
import { readSecrets, type WebhookSecret } from './secret.js';
import { isSameDigest, readSignature, type WebhookSignature } from './signature.js';
import { refusedSignature } from './verification-error.js';

/**
 * The WebCrypto twin of `verifyWebhook`, which keeps the hashing of large bodies off the thread. It takes the
 * same arguments and comes to the same verdict, but gives it in another form.
 *
 * It does not resolve to a boolean, because a promise of `false` is truthy: `if (verifyWebhookAsync(...))`, with
 * its `await` forgotten, would let everything pass. Instead it resolves to the bytes that were verified, a copy
 * which nothing can change any more, and rejects for a signature that is not right. Whoever parses what it
 * resolves to cannot leave out the `await`.
 *
 * @param rawBody - The body's bytes exactly as received, or the string decoded from them.
 * @param signature - The value of `X-Service-Signature`.
 * @param secret - The subscription's secret, prefix and all, or several while one replaces another.
 * @returns The verified bytes.
 * @throws WebhookVerificationError with the reason `missing_signature`, `malformed_signature`,
 *   `ambiguous_signature` or `signature_mismatch`.
 * @throws TypeError for the programmer's errors that `verifyWebhook` names.
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
