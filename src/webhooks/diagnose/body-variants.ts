import { fromBase64, toBytes } from '../crypto/bytes.js';
import { fromLatin1, fromUtf8, toLatin1 } from './encodings.js';
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
 */
export function* bodyVariants(body: string | Uint8Array): Generator<BodyVariant> {
  const text = typeof body === 'string' ? body : fromUtf8(body);
  if (text === undefined) {
    yield { body: toLatin1(toBytes(body)), fault: 'body_charset' };
    return;
  }
  const unmarked = text.startsWith(byteOrderMark) ? text.slice(1) : text;
  const decoded = /^[\w+/-]{8,}={0,2}\s*$/.test(unmarked) ? fromBase64(unmarked) : undefined;
  if (decoded !== undefined) yield { body: decoded, fault: 'body_base64' };
  for (const other of withOtherWhiteSpace(text, unmarked)) yield { body: other, fault: 'body_white_space' };
  const bytes = fromLatin1(text);
  if (bytes !== undefined) yield { body: bytes, fault: 'body_charset' };
  for (const other of jsonWritings(unmarked)) yield { body: other, fault: 'body_rewritten' };
}

function withOtherWhiteSpace(text: string, unmarked: string): readonly string[] {
  const marked = unmarked === text ? byteOrderMark + text : unmarked;
  const unix = unmarked.replaceAll('\r\n', '\n');
  const trimmed = [unmarked.trim(), unmarked.trimEnd()];
  return [marked, ...trimmed, `${unmarked}\n`, `${unmarked}\r\n`, unix, unix.replaceAll('\n', '\r\n')];
}
