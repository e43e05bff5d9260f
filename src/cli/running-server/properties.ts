import { type Command, InvalidArgumentError } from 'commander';
import { assignment } from './options.js';

/** The flags of a command that gives something properties. */
export interface PropertyOptions {
  readonly property?: Readonly<Record<string, string>>;
  readonly properties?: Readonly<Record<string, unknown>>;
}

const property = assignment(/^([^=]+)=(.*)$/s, 'size=large');

/** Adds the flags for the properties of an event or a contact. */
export function withPropertyOptions(command: Command, owner: 'event' | 'contact'): Command {
  return command
    .option('--property <name=text>', `a property of the ${owner}; repeatable`, property)
    .option('--properties <json>', 'properties that are not text, as a JSON object', jsonObject);
}

/** The properties that the flags give. `undefined` if they give none. */
export function propertiesOf(options: PropertyOptions): Readonly<Record<string, unknown>> | undefined {
  const given = { ...options.properties, ...options.property };
  return Object.keys(given).length === 0 ? undefined : given;
}

function jsonObject(text: string): Readonly<Record<string, unknown>> {
  const value = parsedJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidArgumentError('Write it as a JSON object, such as \'{"total":12.5}\'.');
  return { ...value };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
