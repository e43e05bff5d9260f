import { builtinModule } from '../../foundation/builtin.js';

/** The part of `node:crypto` that is used. Declared here, so that the file compiles without Node's types. */
interface NodeCrypto {
  createHmac(
    algorithm: 'sha256',
    key: string | Uint8Array,
  ): { update(data: string | Uint8Array): { digest(encoding: 'hex'): string } };
}

let loaded: NodeCrypto | null | undefined;

/**
 * HMAC-SHA256 by `node:crypto`, in lowercase hex. `undefined` if the runtime has no `node:crypto`. Node encodes strings as UTF-8
 * without an extra copy.
 *
 * The module is loaded at the first use and not imported, so that this file loads in a browser and on an edge runtime, and bundlers
 * do not add a polyfill.
 */
export function nodeHmac(key: string | Uint8Array, body: string | Uint8Array): string | undefined {
  if (loaded === undefined) loaded = loadNodeCrypto();
  return loaded?.createHmac('sha256', key).update(body).digest('hex');
}

function loadNodeCrypto(): NodeCrypto | null {
  const crypto = builtinModule('node:crypto');
  return isNodeCrypto(crypto) ? crypto : null;
}

/** A runtime either has Node's module under this name, or no such module. */
function isNodeCrypto(crypto: unknown): crypto is NodeCrypto {
  return crypto !== undefined;
}
