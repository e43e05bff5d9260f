import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';
import { type ChosenSpecGaps, type SpecGaps, specGapChoices } from '../model/spec-gaps.js';
import { type Duration, toMilliseconds } from '../time/duration.js';
import { duration } from './fields.js';

const period: Schema<Duration> = duration.check(
  z.refine((length) => toMilliseconds(length) > 0, 'must be longer than zero'),
);

const aNumber = 'must be a whole number, one or more';

const rateLimit = (): Schema<SpecGaps['rateLimit']> =>
  z.union(
    [z.literal('off'), z.strictObject({ requests: z.int(aNumber).check(z.gte(1, aNumber)), per: period })],
    { error: 'must be "off", or a number of requests per period, such as { requests: 100, per: "1m" }' },
  );

const retryBackoff = (): Schema<readonly [Duration, Duration]> =>
  z.tuple([duration, duration], {
    error: 'must be two durations, one before each retry, such as ["10s", "60s"]',
  });

// The type of `Object.fromEntries` loses which name belongs to which schema.
const choices = () =>
  Object.fromEntries(
    Object.entries(specGapChoices).map(([name, values]) => [name, z.exactOptional(z.literal([...values]))]),
  ) as { [Name in keyof ChosenSpecGaps]: z.ZodMiniExactOptional<z.ZodMiniLiteral<ChosenSpecGaps[Name]>> };

/** Leaves out the gaps that it does not know, because a newer version may have stored more. */
const knownGaps = () =>
  z.object({
    ...choices(),
    retryBackoff: z.exactOptional(retryBackoff()),
    rateLimit: z.exactOptional(rateLimit()),
  });

/** A change of `specGaps`, from a file or a program. */
export const specGapsSchema: Schema<Partial<SpecGaps>> = z.lazy(() => z.strictObject(knownGaps().shape));

/** Every gap, with its value in a workspace. */
export const allSpecGapsSchema: Schema<SpecGaps> = z.lazy(() => z.required(knownGaps()));
