import * as z from 'zod/mini';
import { propertyValueSchema } from '../../contract/contact.js';
import type { Schema } from '../../contract/schema.js';
import type { PropertyCondition } from '../model/records.js';
import { type Instant, isInstant, wantedInstant } from '../time/instant.js';

/** Schemas that several parts of a seed share. */

export { duration } from '../faults/fault-schemas.js';

export const name: Schema<string> = z.string().check(z.minLength(1));

/** A number of things, such as conversations. */
export const count = z.int('must be a whole number').check(z.gte(0, 'must be zero or more'));

export const instant: Schema<Instant> = z.custom<Instant>(isInstant, wantedInstant);

/** A list of items with unique ids. */
export function listById<T extends { readonly id: string }>(item: Schema<T>): Schema<readonly T[]> {
  return z.array(item).check(unique('id'));
}

/** Checks that each item of a list has another value in a field. */
export function unique<Field extends string>(field: Field) {
  return z.check<readonly Readonly<Record<Field, string>>[]>(({ value: items, issues }) => {
    const seen = new Set<string>();
    for (const [place, item] of items.entries()) {
      const message = `must not repeat an earlier ${field}`;
      if (seen.has(item[field])) issues.push({ code: 'custom', path: [place, field], message, input: items });
      seen.add(item[field]);
    }
  });
}

export const propertyConditionSchema: Schema<PropertyCondition> = z.lazy(() =>
  z.union(
    [
      z.strictObject({ property: z.string(), equals: propertyValueSchema }),
      z.strictObject({ property: z.string(), exists: z.boolean() }),
      z.strictObject({ property: z.string(), includes: z.string() }),
      z.strictObject({ property: z.string(), atLeast: z.number() }),
      z.strictObject({ property: z.string(), below: z.number() }),
    ],
    { error: 'must be a property and one condition on it: equals, exists, includes, atLeast or below' },
  ),
);
