import { toHex } from '../crypto/bytes.js';
import { faultOfSignature, readSignature } from '../verification/signature.js';
import { decodeBase64 } from './encodings.js';
import type { WebhookFault } from './finding.js';

/** What a signature may say: the digests in it, and what is wrong with its form. */
export interface SignatureReading {
  readonly digests: readonly string[];
  readonly fault: WebhookFault | undefined;
}

/** The largest part of a header that is analyzed, because anyone can send a header. */
const longestHeader = 4096;
const mostReadings = 4;

const hexDigest = /(?<![0-9a-z])[0-9a-f]{64}(?![0-9a-z])/gi;
const base64Digest = /(?<![\w+/-])[\w+/-]{43}=?(?![\w+/=-])/g;

/** Reads a signature: one digest of a well-formed one, or any in a malformed one. */
export function readingOf(signature: unknown): SignatureReading {
  const digest = readSignature(signature);
  if (digest !== undefined) return { digests: [digest], fault: undefined };
  const text = textOf(signature);
  const inHex = [...text.matchAll(hexDigest)].map(([digits]) => digits);
  const inBase64 = [...text.matchAll(base64Digest)].map(([encoded]) => toHex(decodeBase64(encoded)));
  const isMissing = faultOfSignature(signature) === 'missing_signature';
  return {
    digests: [...inHex, ...inBase64].slice(0, mostReadings),
    fault: isMissing ? 'signature_missing' : 'signature_malformed',
  };
}

/** The time in a signature of Stripe's format: `t=1700000000,v1=…`. */
export function timeIn(signature: unknown): string | undefined {
  return /(?:^|,)t=(\d{1,16})(?:,|$)/.exec(textOf(signature))?.[1];
}

function textOf(signature: unknown): string {
  const values: readonly unknown[] = Array.isArray(signature)
    ? signature.slice(0, mostReadings)
    : [signature];
  return values
    .filter((value) => typeof value === 'string')
    .map((value) => value.slice(0, longestHeader))
    .join(',');
}
