import { nodeHmac } from './node-hmac.js';
import { portableHmac } from './portable-hmac.js';

/** HMAC-SHA256 in lowercase hex, by the fastest synchronous means the runtime has. */
export function hmacSha256(key: string | Uint8Array, body: string | Uint8Array): string {
  return nodeHmac(key, body) ?? portableHmac(key, body);
}
