import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/**
 * What the store keeps of an API key: its SHA-256, in hex. Looking a key up by its digest takes no longer for a key
 * that begins like a real one.
 */
export function digestOfKey(apiKey: string): string {
  return bytesToHex(sha256(utf8ToBytes(apiKey)));
}
