import { _HMAC } from '@noble/hashes/hmac.js';
import { _SHA256 } from '@noble/hashes/sha2.js';
import { toBytes, toHex } from './bytes.js';

/** HMAC-SHA256 in pure JavaScript, in lowercase hex, for runtimes without `node:crypto`. */
export function portableHmac(key: string | Uint8Array, body: string | Uint8Array): string {
  return toHex(new _HMAC(sha256, toBytes(key)).update(toBytes(body)).digest());
}

/**
 * The library's SHA-256 without the argument checks of its wrapper, which would be a tenth of a bundle of `verifyWebhook`. The hash
 * and the HMAC are the library's.
 */
const create = () => new _SHA256();
const sha256 = /* @__PURE__ */ Object.assign((message: Uint8Array) => create().update(message).digest(), {
  create,
  blockLen: 64,
  outputLen: 32,
  canXOF: false,
});
