import { sha256 } from '../../webhooks/crypto/digests.js';

/**
 * The SHA-256 of an API key in hex, which the store has instead of the key. The time of a lookup by digest does not
 * depend on how much of a key is right.
 */
export function digestOfKey(apiKey: string): string {
  return sha256(apiKey);
}
