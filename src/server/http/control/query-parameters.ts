import * as z from 'zod/mini';
import { phoneSchema } from '../../../contract/phone.js';
import { waitSchema } from '../../hands/long-poll.js';
import { largestPage, pageSize } from '../../hands/page.js';
import { lostPlus } from '../validation.js';
import type { QueryParameter } from './control-operation.js';

/** A parameter of a query that may be left out. */
export function optional<Value>(
  schema: z.ZodMiniType<Value>,
  description: string,
): QueryParameter<Value | undefined> {
  return { schema: z.optional(schema), description };
}

export const text = z.string();

/** A whole number as it stands in a query. */
export const wholeNumber = z.pipe(
  text.check(z.regex(/^\d{1,15}$/, 'must be a whole number')),
  z.transform((digits: string) => Number(digits)),
);

/** What every list takes. */
export const paging = {
  limit: optional(wholeNumber, `How many at the most, up to ${largestPage}; ${pageSize} unless told.`),
  cursor: optional(text, 'Where an earlier answer ended: its `cursor`.'),
};

/** What the lists take beside that of which more is still to come. */
export const waiting = {
  ...paging,
  wait: optional(
    waitSchema,
    "Where the answer would be empty: how long to wait for the first that matches, by the machine's clock, such as 2s; 60s at the most.",
  ),
};

const notUnencoded = (value: string) => !/^ \d/.test(value);

/** A contact's id or phone. */
export const contact = optional(
  text.check(z.refine(notUnencoded, lostPlus)),
  "The contact's id or phone; a + is sent as %2B.",
);

const phone = z.pipe(text.check(z.refine(notUnencoded, { error: lostPlus, abort: true })), phoneSchema);
const aboutPhone = "The contact's phone; a + is sent as %2B.";
export const requiredPhone: QueryParameter<string> = { schema: phone, description: aboutPhone };
export const optionalPhone = optional(phone, aboutPhone);

/** The number of an entry. */
export const since = optional(wholeNumber, 'The number of the last entry that is known already.');
