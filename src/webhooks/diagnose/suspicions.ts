import type { WebhookSecret } from '../verification/secret.js';
import { fromUtf8, parsed, toLatin1 } from './encodings.js';
import type { WebhookFault } from './finding.js';
import { keyVariants } from './key-variants.js';
import { readingsOf, suspicionOf } from './signature-readings.js';

/** Faults of a secret that are visible in its text. */
const visibleOnSecret: readonly WebhookFault[] = [
  'secret_white_space',
  'secret_quoted',
  'secret_list',
  'secret_preceded',
  'secret_encoded',
  'secret_prefix_missing',
];

/** The faults that the input looks like, if no explanation was proven. The likely ones come first. Never empty. */
export function suspicions(
  body: string | Uint8Array,
  signature: unknown,
  secrets: readonly WebhookSecret[],
): readonly WebhookFault[] {
  const readings = readingsOf(signature);
  const faults = new Set<WebhookFault>();
  if (readings.length === 0) faults.add(suspicionOf(signature));
  for (const { fault } of readings) if (fault !== undefined) faults.add(fault);
  const ofBody = suspicionOfBody(body);
  if (ofBody !== undefined) faults.add(ofBody);
  for (const { fault } of secrets.flatMap(keyVariants))
    if (visibleOnSecret.includes(fault)) faults.add(fault);
  // Another secret is possible only if the signature has a digest.
  if (readings.length > 0) faults.add('unexplained');
  return [...faults];
}

function suspicionOfBody(body: string | Uint8Array): WebhookFault | undefined {
  if (body.length === 0) return 'body_empty';
  const text = typeof body === 'string' ? body : (fromUtf8(body) ?? toLatin1(body.subarray(0, 64)));
  if (compressedStarts.some((start) => text.startsWith(start))) return 'body_compressed';
  if (text === '[object Object]') return 'body_parsed';
  if (text.includes('\uFFFD')) return 'body_damaged';
  return text.startsWith('{') && parsed(text) === undefined ? 'body_truncated' : undefined;
}

/** The first characters of gzip, zlib, zstd, and gzip in base64. Decoders replace some of their bytes with U+FFFD. */
const compressedStarts: readonly string[] = [
  ...['\x1f\x8b', '\x1f\uFFFD', 'H4sI'],
  ...['x\x01', 'x^', 'x\x9C', 'x\xDA', 'x\uFFFD'],
  ...['(\xB5/\xFD', '(\uFFFD/\uFFFD'],
];
