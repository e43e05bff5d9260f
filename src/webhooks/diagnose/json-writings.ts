import { deliveryDataFields, deliveryFields } from '../../contract/delivery.js';
import { isObject } from '../../foundation/is-object.js';

/**
 * A JSON text as other programs would write it: with another layout, other escapes, or another order of keys. If a program parsed
 * and serialized the body, the original was probably one of these. Empty for text that is not JSON.
 */
export function* jsonWritings(text: string): Generator<string> {
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
