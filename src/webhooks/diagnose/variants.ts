import { deliveryFields } from '../../contract/delivery.js';
import { webhookEvents } from '../../contract/webhook-events.js';
import { isObject } from '../../foundation/is-object.js';
import { fromBase64, fromUtf8, toBytes, toLatin1 } from '../crypto/bytes.js';
import type { WebhookSecret } from '../verification/secret.js';
import type { WebhookFault } from './finding.js';

/** Another body or key that the sender may have used, and the fault that would explain the difference. */
export interface Variant {
  readonly value: string | Uint8Array;
  readonly fault: WebhookFault;
}

const byteOrderMark = '\uFEFF';

/**
 * The bodies that the sender may have signed instead of this one, the likely ones first. A generator, so that a caller that stops
 * early does not compute the rest.
 */
export function* bodyVariants(body: string | Uint8Array): Generator<Variant> {
  const text = typeof body === 'string' ? body : fromUtf8(body);
  if (text === undefined) {
    yield { value: toLatin1(toBytes(body)), fault: 'body_charset' };
    return;
  }
  const unmarked = text.startsWith(byteOrderMark) ? text.slice(1) : text;
  const decoded = /^[\w+/-]{8,}={0,2}\s*$/.test(unmarked) ? fromBase64(unmarked) : undefined;
  if (decoded !== undefined) yield { value: decoded, fault: 'body_base64' };
  for (const other of withOtherWhiteSpace(text, unmarked)) yield { value: other, fault: 'body_white_space' };
  const bytes = fromLatin1(text);
  if (bytes !== undefined) yield { value: bytes, fault: 'body_charset' };
  for (const other of jsonWritings(unmarked)) yield { value: other, fault: 'body_rewritten' };
}

function withOtherWhiteSpace(text: string, unmarked: string): readonly string[] {
  const marked = unmarked === text ? byteOrderMark + text : unmarked;
  const unix = unmarked.replaceAll('\r\n', '\n');
  const trimmed = [unmarked.trim(), unmarked.trimEnd()];
  return [marked, ...trimmed, `${unmarked}\n`, `${unmarked}\r\n`, unix, unix.replaceAll('\n', '\r\n')];
}

/** Encodes as Latin-1: one byte for each character. `undefined` if the text has other characters. */
function fromLatin1(text: string): Uint8Array | undefined {
  const codes = Array.from(text, (character) => character.codePointAt(0) ?? Number.NaN);
  return codes.every((code) => code <= 0xff) ? Uint8Array.from(codes) : undefined;
}

/**
 * A JSON text as other programs would write it: with other spaces, other escapes, or another order of keys. If a program parsed
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
  // In its own order, and in the order of the service's document.
  for (const compact of new Set([JSON.stringify(value), JSON.stringify(value, inDocumentedOrder)])) {
    const indented = JSON.stringify(JSON.parse(compact), undefined, 1);
    // Line breaks occur only between tokens, because JSON escapes them in strings.
    const spaced = indented.replaceAll(/,\n */g, ', ').replaceAll(/\n */g, '');
    for (const json of [compact, spaced]) {
      const inAscii = json.replaceAll(/[\u0080-\uffff]/g, escaped);
      const forMarkup = json.replaceAll(/[<>&\u2028\u2029]/g, escaped);
      // Python and Ruby write ASCII, PHP escapes slashes, too, and Go and Rails escape what HTML reads.
      yield* new Set([json, inAscii, json.replaceAll('/', '\\/'), inAscii.replaceAll('/', '\\/'), forMarkup]);
    }
  }
}

/** No delivery is nested deeper. The limit keeps a deeply nested body of an attacker from filling the memory with indentation. */
const deepestNesting = 16;

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1));
}

const documentedOrder = Object.keys({
  ...deliveryFields,
  ...webhookEvents['message.received'].dataFields,
});

function inDocumentedOrder(_key: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  const names = Object.keys(value);
  const ordered = [...documentedOrder.filter((name) => names.includes(name)), ...names];
  return Object.fromEntries(ordered.map((name) => [name, value[name]]));
}

/** A character as an escape of JSON. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const prefix = 'whsec_';
/** No secret is longer. Longer text is not analyzed. */
const longestSecret = 1024;

/** The keys that a sender may have used instead of this secret. */
export function keyVariants(secret: WebhookSecret): readonly Variant[] {
  if (typeof secret !== 'string' || secret.length > longestSecret) return [];
  return [...variantsOfKey(secret)].filter(({ value }) => value.length > 0 && value !== secret);
}

function* variantsOfKey(secret: string): Generator<Variant> {
  // A newline from a file, an escaped newline from a .env file, and invisible characters of copied text.
  const trimmed = secret.replace(/^[\s\u200b-\u200d\u2060]+|(?:\\[rn]|[\s\u200b-\u200d\u2060])+$/g, '');
  yield { value: trimmed, fault: 'secret_white_space' };
  const unquoted = trimmed.replace(/^(["'`])(.*)\1$/s, '$2').trim();
  const whole = unquoted.slice(Math.max(0, unquoted.lastIndexOf(prefix)));
  if (whole !== trimmed) yield { value: whole, fault: 'secret_quoted' };

  const hasPrefix = whole.startsWith(prefix);
  const bare = hasPrefix ? whole.slice(prefix.length) : whole;
  if (hasPrefix) yield { value: bare, fault: 'signed_otherwise' };
  else yield { value: prefix + bare, fault: 'secret_prefix_missing' };
  const decoded = fromBase64(bare);
  if (decoded === undefined) return;
  const text = fromUtf8(decoded)?.trim();
  if (text?.startsWith(prefix)) yield { value: text, fault: 'secret_encoded' };
  else yield { value: decoded, fault: 'signed_otherwise' };
}
