import * as z from 'zod/mini';
import { checking, type Schema } from '../contract/schema.js';
import type { QueryParameters } from '../server/subjects/operation.js';

/** Fields that the arguments of several tools have. */

/** Adds a description for the agent to a schema. */
export function described<S extends z.core.$ZodType>(schema: S, description: string): S {
  return checking(schema, z.describe(description));
}

/** An optional text with a description. */
export function optionalText(description: string): z.ZodMiniOptional<z.ZodMiniString> {
  return z.optional(described(z.string(), description));
}

/** A query parameter of an operation, with its description. */
export function parameter<Query extends QueryParameters, Name extends keyof Query & string>(
  { query }: { readonly query?: Query },
  name: Name,
): Query[Name]['schema'] {
  const found = query?.[name];
  if (found === undefined) throw new Error(`The operation has no parameter ${name}.`);
  return described(found.schema, found.description);
}

/** The body of an operation. */
export function bodyOf<Body>({ body }: { readonly body?: Schema<Body> }): Schema<Body> {
  if (body === undefined) throw new Error('The operation has no body.');
  return body;
}

export const contact = optionalText("The contact's id or phone, such as +15551234567.");

export const deliveryId = described(
  z.string().check(z.minLength(1)),
  'The id of a delivery, such as delivery_81d2e6f0. list_deliveries has the ids.',
);

/** A whole number with a description. */
export function wholeNumber(least: number, description: string): z.ZodMiniNumber {
  return described(z.int().check(z.gte(least, `must be ${least} or more`)), description);
}

/** How many items a tool returns at most. */
export function limit(largest: number, usual: number): z.ZodMiniDefault<z.ZodMiniNumber> {
  const wanted = `must be a whole number from 1 to ${largest}`;
  const count = z.int(wanted).check(z.gte(1, wanted), z.lte(largest, wanted));
  return z._default(described(count, `How many at most, up to ${largest}. Default: ${usual}.`), usual);
}
