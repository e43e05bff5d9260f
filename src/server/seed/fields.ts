import * as z from 'zod/mini';
import { propertyValueSchema } from '../../contract/contact.js';
import type { Schema } from '../../contract/schema.js';
import type { PropertyCondition } from '../model/records.js';
import { type Instant, isInstant, wantedInstant } from '../time/instant.js';

/** Schemas that several parts of a seed share. */

export { duration } from '../faults/fault-schemas.js';

export const name: Schema<string> = z.string().check(z.minLength(1));

export const instant: Schema<Instant> = z.custom<Instant>(isInstant, wantedInstant);

/** A list of items with unique ids. */
export function listById<T extends { readonly id: string }>(item: Schema<T>): Schema<readonly T[]> {
  return z
    .array(item)
    .check(
      z.refine(
        (items) => new Set(items.map(({ id }) => id)).size === items.length,
        'must not contain the same id twice',
      ),
    );
}

export const propertyConditionSchema: Schema<PropertyCondition> = z.union(
  [
    z.strictObject({ property: z.string(), equals: propertyValueSchema }),
    z.strictObject({ property: z.string(), exists: z.boolean() }),
    z.strictObject({ property: z.string(), includes: z.string() }),
    z.strictObject({ property: z.string(), atLeast: z.number() }),
    z.strictObject({ property: z.string(), below: z.number() }),
  ],
  { error: 'must be a property and one condition on it: equals, exists, includes, atLeast or below' },
);
