import * as z from 'zod/mini';
import type { PropertyValue } from '../../contract/contact.js';
import type { Schema } from '../../contract/schema.js';
import { webhookEventTypes } from '../../contract/webhook-event-type.js';
import { faultRuleSchema } from '../faults/fault-schemas.js';
import type { DeliveryRecord, JourneyStepRecord, SegmentRecord, WorkspaceState } from '../model/records.js';
import type { WrittenEntry } from '../model/written-entry.js';
import { instant } from '../seed/fields.js';
import { specGapsSchema } from '../seed/spec-gaps-schema.js';
import type { WorkspaceSettings } from './saved-workspace.js';

/** A delivery whose bytes are text, because JSON has no bytes. */
export interface DeliverySnapshot extends Omit<DeliveryRecord, 'body'> {
  readonly body: string;
}

/** The state of a workspace, as plain data. */
export interface StateSnapshot extends Omit<WorkspaceState, 'deliveries'> {
  readonly deliveries: readonly DeliverySnapshot[];
}

/** Converts a workspace's state to plain data, with the bytes of its deliveries as text. */
export function stateAsText(state: WorkspaceState): StateSnapshot {
  const decoder = new TextDecoder();
  return {
    ...state,
    deliveries: state.deliveries.map((delivery) => ({ ...delivery, body: decoder.decode(delivery.body) })),
  };
}

/** Converts plain data back to a workspace's state. */
export function stateFromText(state: StateSnapshot): WorkspaceState {
  const encoder = new TextEncoder();
  return {
    ...state,
    deliveries: state.deliveries.map((delivery) => ({ ...delivery, body: encoder.encode(delivery.body) })),
  };
}

/** A workspace's state as read from a file. The checks detect other data and damaged files, and no more. */

const text = z.string();
const texts = z.array(text);
const time = z.number();
const count = z.int().check(z.gte(0, 'must be zero or more'));
const values = z.record(text, text);
const payload = z.record(text, z.unknown());

export const templateRecordSchema = z.strictObject({
  id: text,
  name: text,
  language: text,
  status: z.enum(['approved', 'pending', 'rejected', 'paused']),
  body: text,
  variables: texts,
});

const segment = z.custom<SegmentRecord>(hasText('id'), 'must be a segment');
const step = z.custom<JourneyStepRecord>(hasText('kind'), 'must be a step of a journey');

export const contactRecordSchema = z.strictObject({
  id: text,
  phone: text,
  // Any value that the store accepts: a deployment may accept more than the document names.
  properties: z.record(text, z.custom<PropertyValue>()),
  consent: z.enum(['unknown', 'opted_in', 'opted_out']),
});

export const eventRecordSchema = z.strictObject({
  id: text,
  contactId: text,
  event: text,
  properties: payload,
  acceptedAt: time,
});

export const journeyRunRecordSchema = z.strictObject({
  id: text,
  journeyId: text,
  contactId: text,
  eventId: text,
  eventProperties: payload,
  startedAt: time,
  status: z.enum(['waiting', 'finished', 'failed']),
  position: count,
  dueAt: time,
  error: z.exactOptional(text),
});

export const sendRecordSchema = z.strictObject({
  id: text,
  status: z.enum(['pending', 'sent']),
  contactId: text,
  phone: text,
  templateId: text,
  variables: values,
  text,
  paidBy: z.enum(['plan', 'add_on']),
  journeyRunId: z.exactOptional(text),
  toOptedOut: z.exactOptional(z.boolean()),
  sentAt: time,
});

const subscription = z.strictObject({
  id: text,
  managed: z.boolean(),
  url: text,
  events: z.array(z.enum(webhookEventTypes)),
  secret: text,
  enabled: z.boolean(),
  createdAt: time,
});

const attempt = z.looseObject({
  number: count,
  startedAt: time,
  machineTime: z.exactOptional(time),
  duration: z.exactOptional(count),
  signature: text,
  timestamp: z.exactOptional(time),
  status: z.exactOptional(z.number()),
  receiverTime: z.exactOptional(time),
  headers: z.exactOptional(z.array(z.tuple([text, text]))),
  responseBody: z.exactOptional(text),
  responseBodyBase64: z.exactOptional(text),
  responseBodyLength: z.exactOptional(count),
  responseInterrupted: z.exactOptional(z.literal(true)),
  redirectedTo: z.exactOptional(text),
  error: z.exactOptional(text),
});

export const deliverySnapshotSchema = z.strictObject({
  id: text,
  subscriptionId: text,
  event: z.enum(webhookEventTypes),
  url: text,
  body: text,
  status: z.enum(['pending', 'delivered', 'failed', 'cancelled']),
  attempts: z.array(attempt),
  redeliveryOf: z.exactOptional(text),
  dueAt: z.exactOptional(time),
  createdAt: time,
});

/** A journal as read from a file. */
export const savedJournalSchema = z.strictObject({
  forgotten: count,
  entries: z.array(z.custom<WrittenEntry>(hasText('type'), 'must be an entry of a journal')),
});

/** The fields of a workspace's state. */
export const stateFields = {
  workspace: z.strictObject({
    id: text,
    quota: count,
    addOnCredits: count,
    templates: z.array(templateRecordSchema),
    segments: z.array(segment),
    journeys: z.array(z.strictObject({ id: text, event: text, steps: z.array(step) })),
  }),
  contacts: z.array(contactRecordSchema),
  events: z.array(eventRecordSchema),
  waitingEventIds: texts,
  journeyRuns: z.array(journeyRunRecordSchema),
  sends: z.array(sendRecordSchema),
  subscriptions: z.array(subscription),
  deliveries: z.array(deliverySnapshotSchema),
};

function hasText(name: string): (value: unknown) => boolean {
  return (value) =>
    typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === 'string';
}

/** What a reset of a workspace restores, as plain data. */
export interface InitialState {
  readonly settings: WorkspaceSettings;
  readonly state: StateSnapshot;
}

const settings: Schema<WorkspaceSettings> = z.strictObject({
  clock: z.optional(z.enum(['flowing', 'frozen'])),
  now: z.optional(instant),
  deliveryTimestamps: z.optional(z.enum(['workspace', 'machine'])),
  specGaps: z.optional(specGapsSchema),
  faults: z.optional(z.array(faultRuleSchema)),
  randomSeed: z.optional(z.int32('must be a whole number of 32 bits')),
});

/** An initial state as read from a file or a store. */
export const initialStateSchema: Schema<InitialState> = z.strictObject({
  settings,
  state: z.strictObject(stateFields),
});
