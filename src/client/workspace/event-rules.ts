import { isObject } from '../../foundation/is-object.js';
import type { StandardSchema } from './standard-schema.js';
import { refusal, validateValue, withoutUndefined } from './validate-value.js';
import type { Body, Prepared } from './workspace-rules.js';

/** A schema for the properties of each event, by the event's name. */
export type EventSchemas = ReadonlyMap<string, StandardSchema>;

/** Validates the event's properties with its schema. Without properties, it validates an empty object. */
export async function prepareEvent(schemas: EventSchemas, body: Body): Promise<Prepared> {
  const { event, properties = {} } = body;
  if (typeof event !== 'string') return { body, problems: [] }; // the contract's schema reports it
  const schema = schemas.get(event);
  if (schema === undefined) {
    const message = `is not an event of the workspace, which has ${[...schemas.keys()].join(', ') || 'none'}`;
    return { body, problems: refusal(event, ['event'], message).problems };
  }
  const given = isObject(properties) ? withoutUndefined(properties) : properties;
  const { value, problems } = await validateValue(schema, given, ['properties']);
  return { body: { ...body, properties: value }, problems };
}
