import { sha256 as portableSha256 } from '@noble/hashes/sha2.js';
import { builtinModule } from '../../foundation/builtin.js';
import { isObject } from '../../foundation/is-object.js';
import { toBytes, toHex } from './bytes.js';

/** What is used of `node:crypto`; `hash` came with Node 20.12, and other runtimes may lack it. */
interface NodeCrypto {
  readonly hash: (algorithm: 'sha256', data: string | Uint8Array, encoding: 'hex') => string;
}

let native: NodeCrypto['hash'] | null | undefined;

/** SHA-256 in lowercase hex, by the fastest synchronous means the runtime has. Strings count as UTF-8. */
export function sha256(data: string | Uint8Array): string {
  // Asked for at the first use instead of imported, like `node:crypto` for the HMAC.
  if (native === undefined) native = loadNative();
  return native === null ? toHex(portableSha256(toBytes(data))) : native('sha256', data, 'hex');
}

function loadNative(): NodeCrypto['hash'] | null {
  const crypto = builtinModule('node:crypto');
  return hasHash(crypto) ? crypto.hash : null;
}

function hasHash(crypto: unknown): crypto is NodeCrypto {
  return isObject(crypto) && typeof crypto.hash === 'function';
}
