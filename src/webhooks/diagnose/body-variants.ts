import { fromBase64, fromLatin1, fromUtf8, fromWindows1252, parsed, toLatin1 } from './encodings.js';
import type { WebhookFault } from './finding.js';
import { jsonWritings } from './json-writings.js';

/** Other bytes that the sender may have signed, and the fault that would explain the difference. */
export interface BodyVariant {
  readonly body: string | Uint8Array;
  readonly fault: WebhookFault;
}

const byteOrderMark = '\uFEFF';

/**
 * The bodies that the sender may have signed instead of this one, the likely ones first. A generator, so that a caller that stops
 * early does not compute the rest.
 *
 * @param time - The time in the signature, if it has one.
 */
export function* bodyVariants(body: string | Uint8Array, time: string | undefined): Generator<BodyVariant> {
  if (typeof body === 'string') {
    yield* variantsOfText(body, time);
  } else {
    const text = fromUtf8(body);
    if (text === undefined) yield { body: toLatin1(body), fault: 'body_charset' };
    else yield* variantsOfText(text, time);
  }
}

function* variantsOfText(text: string, time: string | undefined): Generator<BodyVariant> {
  const unmarked = text.startsWith(byteOrderMark) ? text.slice(1) : text;
  const decoded = encodedIn(unmarked);
  if (decoded !== undefined) yield { body: decoded, fault: 'body_base64' };
  const marked = unmarked === text ? byteOrderMark + text : unmarked;
  for (const body of [marked, ...withOtherWhiteSpace(unmarked)]) yield { body, fault: 'body_white_space' };
  for (const body of withOtherCharset(text)) yield { body, fault: 'body_charset' };
  for (const body of jsonWritings(unmarked)) yield { body, fault: 'body_rewritten' };
  for (const stamp of timesOf(unmarked, time)) {
    yield { body: `${stamp}.${text}`, fault: 'signed_otherwise' };
  }
}

function encodedIn(text: string): Uint8Array | undefined {
  return /^[\w+/-]{8,}={0,2}\s*$/.test(text) ? fromBase64(text) : undefined;
}

function withOtherWhiteSpace(text: string): readonly string[] {
  const unix = text.replaceAll('\r\n', '\n');
  return [
    text.trim(),
    text.trimEnd(),
    `${text}\n`,
    `${text}\r\n`,
    unix,
    unix.replaceAll('\n', '\r\n'),
  ].filter((other) => other !== text);
}

/** The bytes of this text in Latin-1 and in Windows-1252, which web standards also call Latin-1. */
function* withOtherCharset(text: string): Generator<Uint8Array> {
  if (!/[\u0080-\uffff]/.test(text)) return;
  if (!/[\u0100-\uffff]/.test(text)) yield fromLatin1(text);
  const bytes = fromWindows1252(text);
  if (bytes !== undefined) yield bytes;
}

/** The times that a sender with another scheme would have signed: the header's, or the body's in each usual format. */
function timesOf(text: string, time: string | undefined): readonly (string | number)[] {
  const value = parsed(text);
  const stamp =
    typeof value === 'object' && value !== null && 'timestamp' in value ? value.timestamp : undefined;
  if (typeof stamp !== 'string') return time === undefined ? [] : [time];
  const milliseconds = Date.parse(stamp);
  const ofBody = [stamp, Math.floor(milliseconds / 1000), milliseconds];
  return time === undefined ? ofBody : [time, ...ofBody];
}
