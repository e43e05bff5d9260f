import { sha256 as portableSha256 } from '@noble/hashes/sha2.js';
import { builtinModule } from '../../foundation/builtin.js';
import { isObject } from '../../foundation/is-object.js';
import { toBytes, toHex } from './bytes.js';

/** The part of `node:crypto` that is used. Node has `hash` since 20.12, and other runtimes may not have it. */
interface NodeCrypto {
  readonly hash: (algorithm: 'sha256', data: string | Uint8Array, encoding: 'hex') => string;
}

let native: NodeCrypto['hash'] | null | undefined;

/** SHA-256 in lowercase hex, with the fastest synchronous implementation of the runtime. Encodes strings as UTF-8. */
export function sha256(data: string | Uint8Array): string {
  // Loaded at the first use and not imported, like `node:crypto` for the HMAC.
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
