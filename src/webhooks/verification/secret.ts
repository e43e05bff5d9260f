import { bytesOfView } from '../crypto/bytes.js';
import { isWellFormed } from './raw-body.js';

/**
 * A subscription's signing secret. For a string, the key is all of its UTF-8 bytes, including the prefix `whsec_`. Bytes are the key
 * itself.
 */
export type WebhookSecret = string | Uint8Array;

// HMAC pads a short key with zeros, so a key of only zeros is the same as an empty key.
const holdsNoKey = /^(?:whsec_)?[\0 \t\r\n]*$/;

/** Returns one or several secrets as keys. Throws a TypeError for an invalid secret. */
export function readSecrets(secret: WebhookSecret | readonly WebhookSecret[]): readonly WebhookSecret[] {
  if (!Array.isArray(secret)) return [readSecret(secret)];
  if (secret.length === 0) throw unusable('an empty list');
  return secret.map(readSecret);
}

/** Returns a secret as a key. Throws a TypeError, which does not contain the secret, if it is invalid. */
export function readSecret(secret: unknown): WebhookSecret {
  if (typeof secret === 'string') {
    // For HMAC, a key with an added NUL is the same key. UTF-8 encodes all lone surrogates as the same bytes.
    if (holdsNoKey.test(secret.trim()) || secret.includes('\0') || !isWellFormed(secret)) {
      throw unusable('empty, or holds a NUL or half a surrogate pair');
    }
    return secret;
  }
  if (!ArrayBuffer.isView(secret)) throw unusable(`of type ${typeof secret}`);
  const bytes = bytesOfView(secret);
  // Check only the first block for a byte other than zero. A random key may contain zeros.
  if (holdsNoKey.test(String.fromCharCode(...bytes.subarray(0, 64)))) throw unusable('empty');
  return bytes;
}

function unusable(state: string): TypeError {
  return new TypeError(
    `The webhook secret is ${state}. Give the subscription's whole secret, "whsec_" included; ` +
      'is its environment variable set?',
  );
}
