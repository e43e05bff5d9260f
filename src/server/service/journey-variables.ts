import type { EventProperties } from '../../contract/event.js';
import type { ContactRecord } from '../model/records.js';
import type { VariableSource } from '../model/variable-source.js';
import { propertyOf } from './contact-properties.js';
import { sendFailed } from './transactional.js';

/** The sources of a template's placeholder values. */
export interface VariableOrigins {
  readonly contact: ContactRecord;
  readonly eventProperties: EventProperties;
}

/** Returns the values of a template's placeholders, or throws 422 `send_failed`, which names each missing one. */
export function variablesFrom(
  sources: Readonly<Record<string, VariableSource>>,
  origins: VariableOrigins,
): Readonly<Record<string, string>> {
  const values = Object.entries(sources).map(
    ([number, source]) => [number, textOf(source, origins), source] as const,
  );
  const missing = values.flatMap(([number, text, source]) =>
    typeof source === 'string' || text !== '' ? [] : [lack(number, source)],
  );
  if (missing.length > 0) throw sendFailed(`The template cannot be filled: ${missing.join('; ')}.`);
  return Object.fromEntries(values.map(([number, text]) => [number, text]));
}

function textOf(source: VariableSource, { contact, eventProperties }: VariableOrigins): string {
  if (typeof source === 'string') return source;
  if ('contact' in source) return asText(propertyOf(contact, source.contact));
  return Object.hasOwn(eventProperties, source.event) ? asText(eventProperties[source.event]) : '';
}

/** Empty for a value that has no text form. */
function asText(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ');
  return typeof value === 'string' ? value : '';
}

function lack(number: string, source: Exclude<VariableSource, string>): string {
  const [owner, property] = 'contact' in source ? ['contact', source.contact] : ['event', source.event];
  return `for placeholder ${number}, the ${owner} has no property ${JSON.stringify(property)} that has a text form`;
}
