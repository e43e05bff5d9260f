import { toHex, toOwnBytes } from './bytes.js';
import { portableHmac } from './portable-hmac.js';

const algorithm = { name: 'HMAC', hash: 'SHA-256' };

/**
 * HMAC-SHA256 by WebCrypto, in lowercase hex. Falls back to pure JavaScript if WebCrypto is missing, as on a page that is served
 * over plain HTTP.
 */
export async function webCryptoHmac(
  key: string | Uint8Array,
  body: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle;
  if (subtle === undefined) return portableHmac(key, body);
  const imported = await subtle.importKey('raw', toOwnBytes(key), algorithm, false, ['sign']);
  return toHex(new Uint8Array(await subtle.sign('HMAC', imported, body)));
}
