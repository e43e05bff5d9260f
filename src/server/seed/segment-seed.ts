import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';
import type { PropertyCondition } from '../model/property-condition.js';
import { type Duration, toMilliseconds } from '../time/duration.js';
import { duration, name } from './fields.js';
import { propertyConditionSchema } from './property-condition-schema.js';

/**
 * A segment: the contacts for whom an event was tracked often enough, or those whose properties meet every condition.
 *
 * @example
 * ```ts
 * import type { SegmentSeed } from 'messaging-automation/server';
 *
 * const segments: SegmentSeed[] = [
 *   { id: 'regulars', event: 'order_placed', atLeast: 3, within: '30d' },
 *   { id: 'parisians', where: [{ property: 'city', equals: 'Paris' }] },
 * ];
 * ```
 */
export type SegmentSeed =
  | {
      readonly id: string;
      /** The name of the event that feeds the segment. */
      readonly event: string;
      /** How many of those events it takes; 1 unless told. */
      readonly atLeast?: number | undefined;
      /** How long an event counts, from the time at which it was accepted; for ever unless told. */
      readonly within?: Duration | undefined;
    }
  | {
      readonly id: string;
      /** One condition or more. */
      readonly where: readonly PropertyCondition[];
    };

/** A segment with the fields of both kinds, of which those of one are given. */
const fields = z
  .strictObject({
    id: name,
    event: z.optional(name),
    atLeast: z.optional(z.int('must be a whole number').check(z.gte(1, 'must be one or more'))),
    within: z.optional(duration.check(z.refine((length) => toMilliseconds(length) > 0, 'must not be zero'))),
    where: z.optional(z.array(propertyConditionSchema).check(z.minLength(1))),
  })
  .check(
    z.refine(({ event, where }) => event !== undefined || where !== undefined, {
      path: ['event'],
      error: 'is required where there is no where',
    }),
    z.refine(({ event, where }) => event === undefined || where === undefined, {
      path: ['where'],
      error: 'must not stand beside event: a segment goes by the one or by the other',
    }),
    z.refine(({ where, atLeast }) => where === undefined || atLeast === undefined, {
      path: ['atLeast'],
      error: 'must stand beside an event',
    }),
    z.refine(({ where, within }) => where === undefined || within === undefined, {
      path: ['within'],
      error: 'must stand beside an event',
    }),
  );

export const segmentSeedSchema: Schema<SegmentSeed> = z.pipe(
  fields,
  z.transform(({ id, event, atLeast, within, where }: z.infer<typeof fields>): SegmentSeed => {
    if (event !== undefined) return { id, event, atLeast, within };
    return where === undefined ? z.NEVER : { id, where };
  }),
);
