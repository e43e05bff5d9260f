import { fromBase64, toHex } from '../crypto/bytes.js';
import { faultOfSignature, readSignature } from '../verification/signature.js';
import type { WebhookFault } from './finding.js';

/** What a signature may say. */
export interface SignatureReading {
  /** The digests in it: one in a well-formed signature. */
  readonly digests: readonly string[];
  /** What is wrong with its form. */
  readonly fault: WebhookFault | undefined;
}

/** The largest part of a header that is analyzed, because anyone can send a header. */
const longestHeader = 4096;
const mostReadings = 4;

const hexDigest = /(?<![0-9a-z])[0-9a-f]{64}(?![0-9a-z])/gi;
const base64Digest = /(?<![\w+/-])[\w+/-]{43}=?(?![\w+/=-])/g;
const noBytes = new Uint8Array();

/** Reads a signature of any form. */
export function readingOf(signature: unknown): SignatureReading {
  const values = [signature].flat().filter((value) => typeof value === 'string');
  const text = values.join(',').slice(0, longestHeader);
  const inHex = text.match(hexDigest) ?? [];
  const inBase64 = (text.match(base64Digest) ?? []).map((digest) => toHex(fromBase64(digest) ?? noBytes));
  return {
    digests: [...inHex, ...inBase64].slice(0, mostReadings),
    fault: faultOf(signature),
  };
}

function faultOf(signature: unknown): WebhookFault | undefined {
  if (readSignature(signature) !== undefined) return undefined;
  return faultOfSignature(signature) === 'missing_signature' ? 'signature_missing' : 'signature_malformed';
}
