import * as z from 'zod/mini';
import { phoneSchema } from '../../../contract/phone.js';
import type { Schema } from '../../../contract/schema.js';
import { largestPage, pageSize } from '../../model/page.js';
import { waitSchema } from '../../workspace-api/long-poll.js';
import { lostPlus } from '../validation.js';
import type { QueryParameter } from './control-operation.js';

/** An optional query parameter. */
export function optional<Value>(
  schema: Schema<Value>,
  description: string,
): QueryParameter<Value | undefined> {
  return { schema: z.optional(schema), description };
}

export const text = z.string();

/** A whole number as a query parameter. */
export const wholeNumber = z.pipe(
  text.check(z.regex(/^\d{1,15}$/, 'must be a whole number')),
  z.transform((digits: string) => Number(digits)),
);

/** The query parameters of every list. */
export const paging = {
  limit: optional(wholeNumber, `The largest number of items, up to ${largestPage}. Default: ${pageSize}.`),
  cursor: optional(text, 'The `cursor` of the previous response.'),
};

/** The query parameters of lists that can wait for the next item. */
export const waiting = {
  ...paging,
  wait: optional(
    waitSchema,
    "If no item matches: how long to wait for the first, by the machine's clock, such as 2s. Maximum: 60s.",
  ),
};

const notUnencoded = (value: string) => !/^ \d/.test(value);

/** A contact's id or phone. */
export const contact = optional(
  text.check(z.refine(notUnencoded, lostPlus)),
  "The contact's id or phone. Send a + as %2B.",
);

const phone = z.pipe(text.check(z.refine(notUnencoded, { error: lostPlus, abort: true })), phoneSchema);
const aboutPhone = "The contact's phone. Send a + as %2B.";
export const requiredPhone: QueryParameter<string> = { schema: phone, description: aboutPhone };
export const optionalPhone = optional(phone, aboutPhone);

/** The number of an entry. */
export const since = optional(wholeNumber, 'The number of the last entry that you already have.');
