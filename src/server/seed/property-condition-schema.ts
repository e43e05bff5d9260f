import * as z from 'zod/mini';
import { propertyValueSchema } from '../../contract/contact.js';
import type { Schema } from '../../contract/schema.js';
import type { PropertyCondition } from '../model/property-condition.js';

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
