import { isObject } from '../../foundation/is-object.js';
import { parsed } from './encodings.js';

/**
 * Reads bytes that were serialized as numbers, in JSON or text: a Node `Buffer` (`{"type":"Buffer","data":[123,…]}`), a
 * `Uint8Array` (`{"0":123,…}` or `123,…`), or an array. `undefined` for other text.
 */
export function writtenBytes(text: string): Uint8Array | undefined {
  const value = parsed(/^\d+(?:,\d+)+$/.test(text) ? `[${text}]` : text);
  const listed = isObject(value) && value.type === 'Buffer' ? value.data : value;
  if (typeof listed !== 'object' || listed === null) return undefined;
  const numbers: readonly unknown[] = Object.values(listed);
  return numbers.length > 0 && numbers.every(isByte) ? Uint8Array.from(numbers) : undefined;
}

function isByte(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255;
}
