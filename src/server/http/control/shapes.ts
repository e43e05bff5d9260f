import * as z from 'zod/mini';
import type { Schema } from '../../../contract/schema.js';
import { faultRuleSchema } from '../../faults/fault-schemas.js';
import type { FaultState } from '../../faults/workspace-faults.js';
import { journalEntryTypes } from '../../model/journal-entry.js';
import type { Page } from '../../model/page.js';
import { receiverModeSchema } from '../../model/receiver.js';
import { consents } from '../../model/records.js';
import { remedySchema } from '../../model/remedy.js';
import type { InboundMessageResult } from '../../service/inbound-messages.js';
import {
  type DeliverySnapshot,
  deliverySnapshotSchema,
  subscriptionRecordSchema,
} from '../../workspace/state-schema.js';
import type { ForgetfulPage } from '../../workspace-api/happenings.js';
import type { WorkspaceListing } from '../../workspace-api/reference-workspace.js';
import type { WorkspaceSubscription } from '../../workspace-api/subscriptions.js';

/** The response bodies of the control surface. */

export { createdSubscriptionSchema as managedWebhookResponseSchema } from '../../../contract/subscription.js';
export {
  contactRecordSchema as contactSchema,
  eventRecordSchema as eventSchema,
  journeyRunRecordSchema as journeyRunSchema,
  sendRecordSchema as sendSchema,
  templateRecordSchema as templateSchema,
} from '../../workspace/state-schema.js';

const text = z.string();
const count = z.int();

/** The time of a workspace, what its clock does, and when the next waiting work is due. */
export const clockSchema = z.strictObject({
  now: z.number(),
  time: text,
  flow: z.enum(['frozen', 'flowing']),
  next: z.exactOptional(z.number()),
});

export type ClockResponse = Readonly<z.infer<typeof clockSchema>>;

export const quotaSchema = z.strictObject({ quota: count, addOnCredits: count });

export const consentSchema = z.strictObject({ consent: z.enum(consents) });

export const deliverySchema: Schema<DeliverySnapshot> = deliverySnapshotSchema;

/** An entry with its number. Its other fields depend on its type. */
export const entrySchema: Schema<{ readonly number: number }> = z.looseObject({
  number: count,
  type: z.enum(journalEntryTypes),
  at: z.number(),
});

/** A file for Vitest. */
export const testSchema = z.strictObject({ test: text });

/** An entry with its causes, its effects and its copies. */
export const inspectionSchema = z.strictObject({
  number: count,
  entry: entrySchema,
  causes: z.array(entrySchema),
  effects: z.array(entrySchema),
  copies: z.strictObject({ curl: text, code: text, test: text }),
  remedy: z.exactOptional(remedySchema),
});

export const faultStateSchema: Schema<FaultState> = z.strictObject({
  id: text,
  rule: faultRuleSchema,
  matched: count,
  injected: count,
});

export const apiKeySchema = z.strictObject({ apiKey: text });

export const subscriptionSchema: Schema<WorkspaceSubscription> = z.strictObject({
  ...z.omit(subscriptionRecordSchema, { secret: true }).shape,
  secretEnding: text,
});

export const receiverSchema = z.strictObject({ url: text, mode: receiverModeSchema });

export const secretSchema = z.strictObject({ secret: text });

export const listenerOutcomeSchema = z.strictObject({ outcome: z.enum(['recorded', 'too_late']) });

export const workspaceSchema = z.strictObject({ workspaceId: text, apiKey: text });

export const inboundMessageResultSchema: Schema<InboundMessageResult> = z.strictObject({
  contactId: text,
  conversationId: text,
  messageId: text,
  consent: z.exactOptional(z.enum(['opted_in', 'opted_out'])),
});

export const workspaceListingSchema: Schema<WorkspaceListing> = z.strictObject({
  workspaceId: text,
  isFirst: z.boolean(),
  now: z.number(),
  contacts: count,
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
