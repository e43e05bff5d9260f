import { _HMAC } from '@noble/hashes/hmac.js';
import { _SHA256 } from '@noble/hashes/sha2.js';
import { attempt, builtinModule, probe } from '../../foundation/runtime.js';
import { toBytes, toHex, toOwnBytes } from './bytes.js';

/** The part of `node:crypto` that is used. Declared here, so that the file compiles without Node's types. */
interface NodeCrypto {
  createHmac(
    algorithm: 'sha256',
    key: string | Uint8Array,
  ): { update(data: string | Uint8Array): { digest(encoding: 'hex'): string } };
  /** Node has it since 20.12, and other runtimes may not have it. */
  readonly hash?: (algorithm: 'sha256', data: string | Uint8Array, encoding: 'hex') => string;
}

let loaded: { readonly crypto: NodeCrypto | undefined } | undefined;

/**
 * `node:crypto`, if the runtime has it. The module is loaded at the first use and not imported, so that this file loads in a browser and
 * on an edge runtime, and bundlers do not add a polyfill.
 */
function nodeCrypto(): NodeCrypto | undefined {
  loaded ??= { crypto: workingCrypto() };
  return loaded.crypto;
}

/** The module if it computes: a polyfill may have these functions, and throw from each. */
function workingCrypto(): NodeCrypto | undefined {
  return attempt(() => {
    const found: NodeCrypto = Object(builtinModule('node:crypto'));
    found.hash?.('sha256', '', 'hex');
    return found.createHmac('sha256', '').update('').digest('hex') ? found : undefined;
  });
}

/** SHA-256 in lowercase hex, with the fastest synchronous implementation of the runtime. Encodes strings as UTF-8. */
export function sha256(data: string | Uint8Array): string {
  return nodeCrypto()?.hash?.('sha256', data, 'hex') ?? toHex(portableSha256(toBytes(data)));
}

/**
 * HMAC-SHA256 in lowercase hex, with the fastest synchronous implementation of the runtime. Node encodes strings as UTF-8 without an
 * extra copy.
 */
export function hmacSha256(key: string | Uint8Array, body: string | Uint8Array): string {
  return nodeCrypto()?.createHmac('sha256', key).update(body).digest('hex') ?? portableHmac(key, body);
}

/** HMAC-SHA256 in pure JavaScript, in lowercase hex, for runtimes without `node:crypto`. */
export function portableHmac(key: string | Uint8Array, body: string | Uint8Array): string {
  return toHex(new _HMAC(portableSha256, toBytes(key)).update(toBytes(body)).digest());
}

/**
 * The library's SHA-256 without the argument checks of its wrapper, which would be a tenth of a bundle of `verifyWebhook`. The hash
 * and the HMAC are the library's.
 */
const create = () => new _SHA256();
const portableSha256 = /* @__PURE__ */ Object.assign(
  (message: Uint8Array) => create().update(message).digest(),
  {
    create,
    blockLen: 64,
    outputLen: 32,
    canXOF: false,
  },
);

const algorithm = { name: 'HMAC', hash: 'SHA-256' };

/**
 * HMAC-SHA256 by WebCrypto, in lowercase hex. Falls back to pure JavaScript if WebCrypto is missing, as on a page that is served
 * over plain HTTP, or does not compute.
 */
export async function webCryptoHmac(
  key: string | Uint8Array,
  body: Uint8Array<ArrayBuffer>,
): Promise<string> {
  if (probe('crypto', 'subtle') === undefined) return portableHmac(key, body);
  try {
    const { subtle } = globalThis.crypto;
    const imported = await subtle.importKey('raw', toOwnBytes(key), algorithm, false, ['sign']);
    return toHex(new Uint8Array(await subtle.sign('HMAC', imported, body)));
  } catch {
    return portableHmac(key, body);
  }
}
