import type { FieldProblem } from '../../foundation/field-problem.js';
import { isObject } from '../../foundation/is-object.js';
import type { StandardSchema } from './standard-schema.js';
import { refusal, type Validated, validateValue } from './validate-value.js';
import type { Body, Prepared } from './workspace-rules.js';

/** A schema for each contact property, by its name. */
export type PropertySchemas = ReadonlyMap<string, StandardSchema>;

/** Validates each given property with its schema. Omitted properties stay omitted: an update must not set them. */
export async function prepareProperties(schemas: PropertySchemas, body: Body): Promise<Prepared> {
  if (!isObject(body.properties)) return { body, problems: [] }; // the contract's schema reports it
  const prepared = await Promise.all(
    Object.entries(body.properties).map(async ([name, value]) => ({
      name,
      ...(await prepareProperty(schemas, name, value)),
    })),
  );
  const kept = prepared.filter(({ value }) => value !== undefined);
  return {
    body: { ...body, properties: Object.fromEntries(kept.map(({ name, value }) => [name, value])) },
    problems: prepared.flatMap(({ problems }) => problems),
  };
}

async function prepareProperty(schemas: PropertySchemas, name: string, value: unknown): Promise<Validated> {
  const path = ['properties', name];
  const schema = schemas.get(name);
  const validated = schema && (await validateValue(schema, value, path));
  // `undefined` omits the property, unless its schema has a default.
  if (value === undefined && (!validated || validated.problems.length > 0)) return { value, problems: [] };
  if (validated) return validated;
  // The service returns `phone` with every contact, so properties copied from a contact contain it.
  if (name === 'phone') return { value, problems: [] };
  return refusal(value, path, 'is not a property of the workspace; remove it or check its spelling');
}

/**
 * The properties of a contact that do not match their schemas: a value that the schema rejects or changes. It omits the
 * messages of the schemas, because they may quote the value.
 */
export async function inspectProperties(
  schemas: PropertySchemas,
  contact: unknown,
): Promise<readonly FieldProblem[]> {
  if (!isObject(contact) || !isObject(contact.properties)) return [];
  const { properties } = contact;
  const inspected = await Promise.all(
    Object.entries(properties).map(([name, value]) => inspectProperty(schemas.get(name), name, value)),
  );
  return inspected.flat();
}

async function inspectProperty(
  schema: StandardSchema | undefined,
  name: string,
  value: unknown,
): Promise<readonly FieldProblem[]> {
  if (schema === undefined) return [];
  const path = ['properties', name];
  const read = await validateValue(schema, value, path);
  if (read.problems.length > 0)
    return refusal(value, path, 'does not fit its schema in the workspace, which must accept what it gives')
      .problems;
  if (!isSame(read.value, value))
    return refusal(value, path, 'is not as its schema in the workspace would have written it').problems;
  return [];
}

/** Equality of property values: a string, a number, a boolean or an array of strings. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
