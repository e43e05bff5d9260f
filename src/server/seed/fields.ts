import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';
import { type Instant, isInstant, wantedInstant } from '../time/instant.js';

/** What the parts of a seed have in common. */

export { duration } from '../faults/fault-schemas.js';

export const name: Schema<string> = z.string().check(z.minLength(1));

export const instant: Schema<Instant> = z.custom<Instant>(isInstant, wantedInstant);

/** A list of things that are known by their ids. */
export function listById<T extends { readonly id: string }>(item: Schema<T>): Schema<readonly T[]> {
  return z
    .array(item)
    .check(
      z.refine(
        (items) => new Set(items.map(({ id }) => id)).size === items.length,
        'must not hold one id twice',
      ),
    );
}
