import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';
import type { PropertyCondition } from '../model/records.js';
import { type Duration, toMilliseconds } from '../time/duration.js';
import { duration, name, propertyConditionSchema } from './fields.js';

/**
 * A segment: the contacts with enough events of one name, or the contacts whose properties fulfill every condition.
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
      /** The name of the events to count. */
      readonly event: string;
      /** How many of these events a contact needs. Default: 1. */
      readonly atLeast?: number | undefined;
      /** How long an event counts after the service accepts it. Default: no limit. */
      readonly within?: Duration | undefined;
    }
  | {
      readonly id: string;
      /** At least one condition. */
      readonly where: readonly PropertyCondition[];
    };

/** A segment with the fields of both kinds. A segment uses the fields of exactly one kind. */
const fields = () =>
  z
    .strictObject({
      id: name,
      event: z.optional(name),
      atLeast: z.optional(z.int('must be a whole number').check(z.gte(1, 'must be one or more'))),
      within: z.optional(
        duration.check(z.refine((length) => toMilliseconds(length) > 0, 'must not be zero')),
      ),
      where: z.optional(z.array(propertyConditionSchema).check(z.minLength(1))),
    })
    .check(
      z.refine(({ event, where }) => event !== undefined || where !== undefined, {
        path: ['event'],
        error: 'is required, unless the segment has where',
      }),
      z.refine(({ event, where }) => event === undefined || where === undefined, {
        path: ['where'],
        error: 'cannot be combined with event; use one of them',
      }),
      z.refine(({ where, atLeast }) => where === undefined || atLeast === undefined, {
        path: ['atLeast'],
        error: 'requires event in the same segment',
      }),
      z.refine(({ where, within }) => where === undefined || within === undefined, {
        path: ['within'],
        error: 'requires event in the same segment',
      }),
    );

export const segmentSeedSchema: Schema<SegmentSeed> = z.lazy(() =>
  z.pipe(
    fields(),
    z.transform(({ id, event, atLeast, within, where }: z.infer<ReturnType<typeof fields>>): SegmentSeed => {
      if (event !== undefined) return { id, event, atLeast, within };
      return where === undefined ? z.NEVER : { id, where };
    }),
  ),
);
