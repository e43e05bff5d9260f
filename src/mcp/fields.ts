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

/** The parameters of a list that say how much of it to return, and when. A tool has its own. */
const ofPages = ['limit', 'cursor', 'wait'] as const;

type Filters<Query extends QueryParameters> = {
  readonly [Name in Exclude<keyof Query, (typeof ofPages)[number]>]: Query[Name]['schema'];
};

/** The query parameters of an operation that select items, with their descriptions. A tool for the operation takes them all. */
export function filtersOf<Query extends QueryParameters>({
  query,
}: {
  readonly query?: Query;
}): Filters<Query> {
  const filters = Object.entries(query ?? {})
    .filter(([name]) => !ofPages.some((other) => other === name))
    .map(([name, { schema, description }]) => [name, described(schema, description)]);
  return Object.fromEntries(filters);
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
