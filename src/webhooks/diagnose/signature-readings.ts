import { fromBase64, toHex } from '../crypto/bytes.js';
import { faultOfSignature, readSignature } from '../verification/signature.js';
import type { WebhookFault } from './finding.js';

/** The largest part of a header that is analyzed, because anyone can send a header. */
const longestHeader = 4096;

const hexDigest = /(?<![0-9a-z])[0-9a-f]{64}(?![0-9a-z])/gi;
const base64Digest = /(?<![\w+/-])[\w+/-]{43}=?(?![\w+/=-])/g;
const noBytes = new Uint8Array();

/** The digests in a signature of any form: one in a well-formed signature. */
export function digestsIn(signature: unknown): readonly string[] {
  const values = [signature].flat().filter((value) => typeof value === 'string');
  const text = values.join(',').slice(0, longestHeader);
  const inHex = text.match(hexDigest) ?? [];
  const inBase64 = (text.match(base64Digest) ?? []).map((digest) => toHex(fromBase64(digest) ?? noBytes));
  return [...inHex, ...inBase64];
}

/** What is wrong with the form of a signature. */
export function formFaultOf(signature: unknown): WebhookFault | undefined {
  if (readSignature(signature) !== undefined) return undefined;
  return faultOfSignature(signature) === 'missing_signature' ? 'signature_missing' : 'signature_malformed';
}
