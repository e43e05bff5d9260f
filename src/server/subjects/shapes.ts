import * as z from 'zod/mini';
import { lostPlus, phoneSchema } from '../../contract/phone.js';
import type { Schema } from '../../contract/schema.js';
import { journalEntryTypes } from '../model/journal-entry.js';
import { largestPage, type Page, pageSize } from '../model/page.js';
import type { TemplateRecord } from '../model/records.js';
import { type Duration, isDuration, toMilliseconds } from '../time/duration.js';
import {
  type DeliverySnapshot,
  deliverySnapshotSchema,
  templateRecordSchema,
} from '../workspace/state-schema.js';
import type { QueryParameter } from './operation.js';
import type { ForgetfulPage } from './pages.js';

/**
 * What the operations of several subjects take and return. Only the table imports this file, because it loads with the first request
 * under /control: it passes these shapes to the operations of each subject.
 */

export { createdSubscriptionSchema as managedWebhookResponseSchema } from '../../contract/subscription.js';
export {
  contactRecordSchema as contactSchema,
  eventRecordSchema as eventSchema,
  journeyRunRecordSchema as journeyRunSchema,
  sendRecordSchema as sendSchema,
} from '../workspace/state-schema.js';

export const text = z.string();
export const count = z.int();

/** An optional query parameter. */
export function optional<Value>(
  schema: Schema<Value>,
  description: string,
): QueryParameter<Value | undefined> {
  return { schema: z.optional(schema), description };
}

/** A whole number as a query parameter. */
export const wholeNumber = z.pipe(
  text.check(z.regex(/^\d{1,15}$/, 'must be a whole number')),
  z.transform((digits: string) => Number(digits)),
);

/** A boolean as a query parameter. */
export const yesOrNo = z.pipe(
  z.enum(['true', 'false']),
  z.transform((word: 'true' | 'false') => word === 'true'),
);

/** The query parameters of every list. */
export const paging = {
  limit: optional(wholeNumber, `The largest number of items, up to ${largestPage}. Default: ${pageSize}.`),
  cursor: optional(text, 'The `cursor` of the previous response.'),
};

/** One minute, because proxies and clients abort longer requests. In milliseconds. */
const longestWait = 60_000;

/** How long to wait. */
export const waitSchema: Schema<Duration> = z.custom<Duration>(
  (duration) =>
    typeof duration === 'string' && isDuration(duration) && toMilliseconds(duration) <= longestWait,
  'must be a duration with its unit, such as 2s or 500ms, and at most 60s',
);

/** The query parameters of lists that can wait for the next item. */
export const waiting = {
  ...paging,
  wait: optional(
    waitSchema,
    "If no item matches: how long to wait for the first, by the machine's clock, such as 2s. Maximum: 60s.",
  ),
};

/** The possible errors of a wait over HTTP. */
export const waits = {
  408: 'Timeout: no item matched in time. The message names the closest ones.',
  429: 'This workspace already has the largest number of waits. Wait for one to end.',
  503: 'The workspace closed during the wait.',
} as const;

/** A contact's id or phone. */
export const contact = optional(
  text.check(z.refine((value) => !/^ \d/.test(value), lostPlus)),
  "The contact's id or phone. Send a + as %2B.",
);

const aboutPhone = "The contact's phone. Send a + as %2B.";
export const requiredPhone: QueryParameter<string> = { schema: phoneSchema, description: aboutPhone };
export const optionalPhone = optional(phoneSchema, aboutPhone);

/** The number of an entry. */
export const since = optional(wholeNumber, 'The number of the last entry that you already have.');

/** The time of a workspace, what its clock does, and when the next waiting work is due. */
export const clockSchema = z.strictObject({
  now: z.number(),
  time: text,
  flow: z.enum(['frozen', 'flowing']),
  next: z.exactOptional(z.number()),
});

export const templateSchema: Schema<TemplateRecord> = templateRecordSchema;

export const deliverySchema: Schema<DeliverySnapshot> = deliverySnapshotSchema;

/** An entry with its number. Its other fields depend on its type. */
export const entrySchema: Schema<{ readonly number: number }> = z.looseObject({
  number: count,
  type: z.enum(journalEntryTypes),
  at: z.number(),
});

/** A complete list, in `data`. */
export function listOf<Item>(item: Schema<Item>): Schema<{ readonly data: readonly Item[] }> {
  return z.strictObject({ data: z.array(item) });
}

const pageFields = { more: z.boolean(), cursor: text };

/** One page of a list, in `data`, with its `cursor`. */
export function pageOfMany<Item>(item: Schema<Item>): Schema<Page<Item>> {
  return z.strictObject({ data: z.array(item), ...pageFields });
}

/** One page of a list that drops old items. */
export function pageOfLatest<Item>(item: Schema<Item>): Schema<ForgetfulPage<Item>> {
  return z.strictObject({ data: z.array(item), ...pageFields, forgotten: count });
}
