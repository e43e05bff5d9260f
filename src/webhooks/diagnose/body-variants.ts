import { deliveryDataFields, deliveryFields } from '../../contract/delivery.js';
import { isObject } from '../../foundation/is-object.js';
import { fromBase64, fromUtf8, toBytes, toLatin1 } from '../crypto/bytes.js';
import type { WebhookFault } from './finding.js';

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

/** The characters of Windows-1252 for the bytes from 0x80 to 0x9F. All other bytes are the same as in Latin-1. */
const windows1252 =
  '\u20AC\x81\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\x8D\u017D\x8F' +
  '\x90\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\x9D\u017E\u0178';

/**
 * Encodes as Latin-1 or Windows-1252, which web standards also call Latin-1: one byte for each character. `undefined` if the text has
 * characters of neither.
 */
function fromLatin1(text: string): Uint8Array | undefined {
  const bytes = Array.from(text, (character) => {
    const index = windows1252.indexOf(character);
    return index < 0 ? (character.codePointAt(0) ?? Number.NaN) : 0x80 + index;
  });
  return bytes.every((byte) => byte <= 0xff) ? Uint8Array.from(bytes) : undefined;
}

/**
 * A JSON text as other programs would write it: with another layout, other escapes, or another order of keys. If a program parsed
 * and serialized the body, the original was probably one of these. Empty for text that is not JSON.
 */
function* jsonWritings(text: string): Generator<string> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return;
  }
  if (!isObject(value) || !isShallow(value, deepestNesting)) return;
  // In its own order, in the order of the service's document, and with sorted keys.
  const orders = [JSON.stringify(value), JSON.stringify(value, documented), JSON.stringify(value, sorted)];
  for (const compact of new Set(orders)) {
    for (const layout of layouts) {
      const json = layout(JSON.parse(compact));
      yield* new Set(escapings.map((write) => write(json)));
    }
  }
}

/** No delivery is nested deeper. The limit keeps a deeply nested body of an attacker from filling the memory with indentation. */
const deepestNesting = 16;

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1));
}

const documentedOrder = Object.keys({ ...deliveryFields, ...deliveryDataFields['message.received'] });

function documented(_key: string, value: unknown): unknown {
  return inOrder(value, (names) => [...documentedOrder.filter((name) => names.includes(name)), ...names]);
}

function sorted(_key: string, value: unknown): unknown {
  return inOrder(value, (names) => names.sort());
}

/** An object with its fields in the order of these names, the first of each. Any other value as it is. */
function inOrder(value: unknown, ordered: (names: string[]) => readonly string[]): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(ordered(Object.keys(value)).map((name) => [name, value[name]]));
}

const layouts: readonly ((value: unknown) => string)[] = [
  (value) => JSON.stringify(value),
  // Python's layout. Line breaks occur only between tokens, because JSON escapes them in strings.
  (value) => JSON.stringify(value, undefined, 1).replaceAll(/,\n */g, ', ').replaceAll(/\n */g, ''),
  (value) => JSON.stringify(value, undefined, 2),
  (value) => JSON.stringify(value, undefined, 4),
  (value) => JSON.stringify(value, undefined, '\t'),
];

/** The escapes of JavaScript and of other languages. All escaped characters occur only in strings. */
const escapings: readonly ((json: string) => string)[] = [
  (json) => json,
  (json) => json.replaceAll(beyondAscii, escaped), // Python, Ruby
  (json) => json.replaceAll(beyondAscii, escapedInUpperCase), // Java, Newtonsoft
  (json) => json.replaceAll('/', '\\/'),
  (json) => json.replaceAll(beyondAscii, escaped).replaceAll('/', '\\/'), // PHP
  (json) => json.replaceAll(/[<>&\u2028\u2029]/g, escaped), // Go, Rails
  (json) => json.replaceAll(/\\"|[<>&'+`\u007f-\uffff]/g, escapedInUpperCase), // .NET
];

const beyondAscii = /[\u0080-\uffff]/g;

function escaped(found: string): string {
  return `\\u${found.slice(-1).charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function escapedInUpperCase(found: string): string {
  return escaped(found).toUpperCase().replace('U', 'u');
}
