import { sha256 } from '../../webhooks/crypto/sha256.js';

/**
 * What the store keeps of an API key: its SHA-256, in hex. Looking a key up by its digest takes no longer for a key
 * that begins like a real one.
 */
export function digestOfKey(apiKey: string): string {
  return sha256(apiKey);
}
