import { toOwnBytes } from '../crypto/bytes.js';
import { hmacSha256, webCryptoHmac } from '../crypto/digests.js';
import { type RawBody, readRawBody } from './raw-body.js';
import { readSecret, type WebhookSecret } from './secret.js';

/**
 * Signs a body as the service does: the HMAC-SHA256 of its bytes, keyed with the whole secret. Use it in tests of a receiver.
 *
 * @param rawBody - The exact bytes that will be sent, or the string whose UTF-8 will be.
 * @param secret - The subscription's secret, including `whsec_`.
 * @returns 64 lowercase hex digits, the value of `X-Service-Signature`.
 * @throws TypeError for a body that is not raw, or a secret that is empty, blank or damaged.
 *
 * @example
 * ```ts
 * import { signatureHeader, signWebhook } from 'messaging-automation/webhooks';
 *
 * const body = JSON.stringify({ event: 'message.received' });
 * const request = new Request('https://example.com/webhooks', {
 *   method: 'POST',
 *   body,
 *   headers: { 'Content-Type': 'application/json', [signatureHeader]: signWebhook(body, 'whsec_example') },
 * });
 * console.log(request.headers.get(signatureHeader)?.length); // 64
 * ```
 */
export function signWebhook(rawBody: RawBody, secret: WebhookSecret): string {
  return hmacSha256(readSecret(secret), readRawBody(rawBody));
}

/**
 * Signs a body with WebCrypto. It returns the same signature as `signWebhook`.
 *
 * @param rawBody - The exact bytes that will be sent, or the string whose UTF-8 will be.
 * @param secret - The subscription's secret, including `whsec_`.
 * @returns 64 lowercase hex digits, the value of `X-Service-Signature`.
 * @throws TypeError for a body that is not raw, or a secret that is empty, blank or damaged.
 *
 * @example
 * ```ts
 * import { signWebhook, signWebhookAsync } from 'messaging-automation/webhooks';
 *
 * const signature = await signWebhookAsync('{}', 'whsec_example');
 * console.log(signature === signWebhook('{}', 'whsec_example')); // true
 * ```
 */
export async function signWebhookAsync(rawBody: RawBody, secret: WebhookSecret): Promise<string> {
  return webCryptoHmac(readSecret(secret), toOwnBytes(readRawBody(rawBody)));
}
