import { bytesOfView } from '../crypto/bytes.js';
import { isWellFormed } from './well-formed.js';

/**
 * A subscription's signing secret. A string stands for its UTF-8 bytes, all of them: the
 * prefix `whsec_` is part of the key. Bytes are the key as they are.
 */
export type WebhookSecret = string | Uint8Array;

// HMAC pads a short key with zeros, so that zeros alone are no key, like nothing at all.
const holdsNoKey = /^(?:whsec_)?[\0 \t\r\n]*$/;

/** The one or several secrets a caller gave, as keys. Throws a TypeError for what cannot be a secret. */
export function readSecrets(secret: WebhookSecret | readonly WebhookSecret[]): readonly WebhookSecret[] {
  if (!Array.isArray(secret)) return [readSecret(secret)];
  if (secret.length === 0) throw unusable('an empty list');
  return secret.map(readSecret);
}

/** One secret as a key. Throws a TypeError, which never holds the secret, for what cannot be one. */
export function readSecret(secret: unknown): WebhookSecret {
  if (typeof secret === 'string') {
    // HMAC cannot tell `k` from `k` and a NUL, nor UTF-8 one half of a surrogate pair from another.
    if (holdsNoKey.test(secret.trim()) || secret.includes('\0') || !isWellFormed(secret)) {
      throw unusable('empty, or holds a NUL or half a surrogate pair');
    }
    return secret;
  }
  if (!ArrayBuffer.isView(secret)) throw unusable(`of type ${typeof secret}`);
  const bytes = bytesOfView(secret);
  // The first block is enough to see whether there is anything in it; a random key may well hold a zero.
  if (holdsNoKey.test(String.fromCharCode(...bytes.subarray(0, 64)))) throw unusable('empty');
  return bytes;
}

function unusable(state: string): TypeError {
  return new TypeError(
    `The webhook secret is ${state}. Give the subscription's whole secret, "whsec_" included; ` +
      'is its environment variable set?',
  );
}
