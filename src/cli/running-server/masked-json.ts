import type { Redact } from '../../contract/redaction.js';
import { printable } from '../terminal/printable.js';

/** A value as JSON, with each string and name masked separately: masking the whole text could produce invalid JSON. */
export function maskedJson(value: unknown, redact: Redact): string {
  return printable(JSON.stringify(masked(value, redact, '')));
}

/** @param name - The field that holds the value: a number without a plus is a phone number by its name alone. */
function masked(value: unknown, redact: Redact, name: string): unknown {
  if (Array.isArray(value)) return value.map((item) => masked(item, redact, name));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [redact(key), masked(item, redact, key)]),
    );
  }
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  const label = /phone/i.test(name) ? 'phone:' : '';
  const text = String(value);
  const shown = redact(label + text).slice(label.length);
  return shown === text ? value : shown;
}
