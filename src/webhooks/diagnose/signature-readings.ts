import { toHex } from '../crypto/bytes.js';
import { faultOfSignature, readSignature } from '../verification/signature.js';
import { decodeBase64 } from './encodings.js';
import type { WebhookFault } from './finding.js';

/** A digest that a signature may represent, and what is wrong with its format. */
export interface SignatureReading {
  readonly digest: string;
  readonly fault: WebhookFault | undefined;
}

/** The largest part of a header that is analyzed, because anyone can send a header. */
const longestHeader = 4096;
const mostReadings = 4;

const hexDigest = /(?<![0-9a-z])[0-9a-f]{64}(?![0-9a-z])/gi;
const base64Digest = /(?<![\w+/-])[\w+/-]{43}=?(?![\w+/=-])/g;

/** The digests in a signature: one of a well-formed signature, or any in a malformed one. */
export function readingsOf(signature: unknown): readonly SignatureReading[] {
  const digest = readSignature(signature);
  if (digest !== undefined) return [{ digest, fault: undefined }];

  const text = textOf(signature);
  const inHex = [...text.matchAll(hexDigest)].map(([digits]) => digits);
  const inBase64 = [...text.matchAll(base64Digest)].map(([encoded]) => toHex(decodeBase64(encoded)));
  const readings = [
    ...inHex.map((digits) => ({ digest: digits, fault: 'signature_decorated' as const })),
    ...inBase64.map((digits) => ({ digest: digits, fault: 'signature_base64' as const })),
  ].slice(0, mostReadings);
  return readings.length < 2
    ? readings
    : readings.map((reading) => ({ ...reading, fault: 'signature_repeated' }));
}

/** What a signature without a digest in it looks like. */
export function suspicionOf(signature: unknown): WebhookFault {
  const fault = faultOfSignature(signature);
  if (fault === 'missing_signature') return 'signature_missing';
  const text = textOf(signature).trim();
  if (text.startsWith('whsec_')) return 'signature_is_secret';
  return /^[0-9a-f]{8,}$/i.test(text) ? 'signature_of_other_length' : 'signature_malformed';
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
