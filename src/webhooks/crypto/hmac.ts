import { nodeHmac } from './node-hmac.js';
import { portableHmac } from './portable-hmac.js';

/** HMAC-SHA256 in lowercase hex, with the fastest synchronous implementation of the runtime. */
export function hmacSha256(key: string | Uint8Array, body: string | Uint8Array): string {
  return nodeHmac(key, body) ?? portableHmac(key, body);
}
