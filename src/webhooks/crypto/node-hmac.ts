import { builtinModule } from '../../foundation/builtin.js';

/** What is used of `node:crypto`, spelled out so that this compiles where Node's types do not exist. */
interface NodeCrypto {
  createHmac(
    algorithm: 'sha256',
    key: string | Uint8Array,
  ): { update(data: string | Uint8Array): { digest(encoding: 'hex'): string } };
}

let loaded: NodeCrypto | null | undefined;

/**
 * HMAC-SHA256 by `node:crypto`, in lowercase hex; `undefined` where there is no `node:crypto`. Strings count
 * as UTF-8, which Node encodes on the way without a copy of ours.
 *
 * The module is asked for at the first use instead of imported, so that this file loads in a browser or on
 * an edge runtime, and bundlers find nothing to polyfill.
 */
export function nodeHmac(key: string | Uint8Array, body: string | Uint8Array): string | undefined {
  if (loaded === undefined) loaded = loadNodeCrypto();
  return loaded?.createHmac('sha256', key).update(body).digest('hex');
}

function loadNodeCrypto(): NodeCrypto | null {
  const crypto = builtinModule('node:crypto');
  return isNodeCrypto(crypto) ? crypto : null;
}

/** By this name a runtime has the module that Node documents, or none. */
function isNodeCrypto(crypto: unknown): crypto is NodeCrypto {
  return crypto !== undefined;
}
