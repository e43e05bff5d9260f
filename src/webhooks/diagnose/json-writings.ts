import { deliveryDataFields, deliveryFields } from '../../contract/delivery.js';
import { isObject } from '../../foundation/is-object.js';
import { parsed } from './encodings.js';

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * A JSON text as other programs would write it: with another layout, other escapes, or another order of keys. If a program parsed
 * and serialized the body, the original was probably one of these. Empty for text that is not JSON.
 */
export function* jsonWritings(text: string): Generator<string> {
  const value = parsed(text);
  if (!isObject(value) || !isShallow(value, deepestNesting)) return;
  for (const ordered of ordersOf(value)) {
    for (const layout of layouts) yield* escapesOf(layout(ordered));
  }
}

/** No delivery is nested deeper. The limit keeps a deeply nested body of an attacker from filling the memory with indentation. */
const deepestNesting = 16;

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1));
}

/** The value in its own order, in the order of the service's document, and with sorted keys. */
function* ordersOf(value: JsonObject): Generator<JsonObject> {
  const asReceived = JSON.stringify(value);
  yield value;
  for (const reordered of [documented(value), sorted(value)]) {
    if (JSON.stringify(reordered) !== asReceived) yield reordered;
  }
}

function documented(delivery: JsonObject): JsonObject {
  const { data } = delivery;
  const ordered = withFirst(Object.keys(deliveryFields), delivery);
  if (!isObject(data)) return ordered;
  return { ...ordered, data: withFirst(Object.keys(deliveryDataFields['message.received']), data) };
}

function withFirst(names: readonly string[], object: JsonObject): JsonObject {
  const first = names.filter((name) => Object.hasOwn(object, name));
  const rest = Object.keys(object).filter((name) => !names.includes(name));
  return Object.fromEntries([...first, ...rest].map((name) => [name, object[name]]));
}

function sorted(object: JsonObject): JsonObject {
  const names = Object.keys(object).sort();
  return Object.fromEntries(names.map((name) => [name, sortedWithin(object[name])]));
}

function sortedWithin(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedWithin);
  return isObject(value) ? sorted(value) : value;
}

const layouts: readonly ((value: unknown) => string)[] = [
  (value) => JSON.stringify(value),
  // Python's layout. Line breaks occur only between tokens, because JSON escapes them in strings.
  (value) => JSON.stringify(value, undefined, 1).replaceAll(/,\n */g, ', ').replaceAll(/\n */g, ''),
  (value) => JSON.stringify(value, undefined, 2),
  (value) => JSON.stringify(value, undefined, 4),
  (value) => JSON.stringify(value, undefined, '\t'),
];

/** With the escapes of JavaScript and of other languages. All escaped characters occur only in strings. */
function* escapesOf(json: string): Generator<string> {
  yield json;
  const ascii = json.replaceAll(/[\u0080-\uffff]/g, (character) => escaped(character)); // Python, Ruby
  if (ascii !== json) {
    yield ascii;
    yield json.replaceAll(/[\u0080-\uffff]/g, (character) => escaped(character, true)); // Java, Newtonsoft
  }
  if (json.includes('/')) {
    yield json.replaceAll('/', '\\/');
    if (ascii !== json) yield ascii.replaceAll('/', '\\/'); // PHP
  }
  const forHtml = json.replaceAll(/[<>&\u2028\u2029]/g, (character) => escaped(character)); // Go, Rails
  if (forHtml !== json) yield forHtml;
  const cautious = json.replaceAll(/\\"|[<>&'+`\u007f-\uffff]/g, (found) => escaped(found.slice(-1), true)); // .NET
  if (cautious !== json) yield cautious;
}

function escaped(character: string, upperCase = false): string {
  const digits = character.charCodeAt(0).toString(16).padStart(4, '0');
  return `\\u${upperCase ? digits.toUpperCase() : digits}`;
}
