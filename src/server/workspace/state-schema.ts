import * as z from 'zod/mini';
import type { ContactProperties } from '../../contract/contact.js';
import type { EventProperties } from '../../contract/event.js';
import { isJsonObject, type Schema } from '../../contract/schema.js';
import { webhookEventTypes } from '../../contract/webhook-event-type.js';
import type { Clock } from '../../foundation/clock.js';
import { readSecret } from '../../webhooks/verification/secret.js';
import { type SavedFaults, savedFaultsSchema } from '../faults/fault-schemas.js';
import { type ReceiverMode, receiverModeSchema } from '../model/receiver.js';
import {
  consents,
  type DeliveryRecord,
  deliveryStatuses,
  type JourneyStepRecord,
  type SegmentRecord,
  type WorkspaceState,
} from '../model/records.js';
import type { SpecGaps } from '../model/spec-gaps.js';
import type { WrittenEntry } from '../model/written-entry.js';
import { listById, unique } from '../seed/fields.js';
import { specGapsSchema } from '../seed/spec-gaps-schema.js';
import { settingsSchema, type WorkspaceSeed } from '../seed/workspace-seed.js';
import type { ClockPosition } from '../time/clock.js';
import { lastInstant, toEpochMilliseconds } from '../time/instant.js';

/** A delivery whose bytes are text, because JSON has no bytes. */
export type DeliverySnapshot = Omit<DeliveryRecord, 'body'> & {
  readonly body: string;
};

/** The state of a workspace, as plain data. */
export type StateSnapshot = Omit<WorkspaceState, 'deliveries'> & {
  readonly deliveries: readonly DeliverySnapshot[];
};

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

/** A workspace's state as read from a file. The checks detect other data and damaged files, and what could not be created by hand. */

const text = z.string();
const texts = z.array(text);
const time = z.number();
const count = z.int().check(z.gte(0, 'must be zero or more'));
const values = z.record(text, text);

/** The properties of records. zod's own record would leave out one with the name `__proto__`. */
export const eventProperties = z.custom<EventProperties>(isJsonObject, 'must be an object');
// Any values that the store accepts: a deployment may accept more than the document names.
export const contactProperties = z.custom<ContactProperties>(isJsonObject, 'must be an object');

export const templateRecordSchema = z.lazy(() =>
  z.strictObject({
    id: text,
    name: text,
    language: text,
    status: z.enum(['approved', 'pending', 'rejected', 'paused']),
    body: text,
    variables: texts,
  }),
);

const segment = z.custom<SegmentRecord>(hasText('id'), 'must be a segment');
const step = z.custom<JourneyStepRecord>(hasText('kind'), 'must be a step of a journey');

export const contactRecordSchema = z.lazy(() =>
  z.strictObject({
    id: text,
    phone: text,
    properties: contactProperties,
    consent: z.enum(consents),
  }),
);

export const eventRecordSchema = z.lazy(() =>
  z.strictObject({
    id: text,
    contactId: text,
    event: text,
    properties: eventProperties,
    acceptedAt: time,
  }),
);

export const journeyRunRecordSchema = z.lazy(() =>
  z.strictObject({
    id: text,
    journeyId: text,
    contactId: text,
    eventId: text,
    eventProperties,
    startedAt: time,
    status: z.enum(['waiting', 'finished', 'failed']),
    position: count,
    dueAt: time,
    error: z.exactOptional(text),
  }),
);

export const sendRecordSchema = z.lazy(() =>
  z.strictObject({
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
  }),
);

export const subscriptionRecordSchema = z.strictObject({
  id: text,
  managed: z.boolean(),
  url: text,
  events: z.array(z.enum(webhookEventTypes)),
  secret: z.string().check(z.refine(canSign, 'must be a secret that can sign: not empty, and without a NUL')),
  enabled: z.boolean(),
  createdAt: time,
});

const attempt = () =>
  z.looseObject({
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

export const deliverySnapshotSchema = z.lazy(() =>
  z.strictObject({
    id: text,
    subscriptionId: text,
    event: z.enum(webhookEventTypes),
    url: text,
    body: text,
    status: z.enum(deliveryStatuses),
    attempts: z.array(attempt()),
    redeliveryOf: z.exactOptional(text),
    dueAt: z.exactOptional(time),
    createdAt: time,
  }),
);

/** The fields of a workspace's state. */
export const stateFields = {
  workspace: z.strictObject({
    id: text,
    quota: count,
    addOnCredits: count,
    templates: listById(templateRecordSchema),
    segments: listById(segment),
    journeys: listById(z.strictObject({ id: text, event: text, steps: z.array(step) })),
  }),
  contacts: z.array(contactRecordSchema).check(unique('id'), unique('phone')),
  events: listById(eventRecordSchema),
  waitingEventIds: texts,
  journeyRuns: listById(journeyRunRecordSchema),
  sends: listById(sendRecordSchema),
  subscriptions: listById(subscriptionRecordSchema),
  deliveries: listById(deliverySnapshotSchema),
};

function canSign(secret: string): boolean {
  try {
    readSecret(secret);
    return true;
  } catch {
    return false;
  }
}

function hasText(name: string): (value: unknown) => boolean {
  return (value) =>
    typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === 'string';
}

/** The fields of a seed that a workspace needs after its start. The store has the others. */
export type SeedSettings = Pick<
  WorkspaceSeed,
  'clock' | 'now' | 'deliveryTimestamps' | 'specGaps' | 'faults' | 'randomSeed'
>;

/** Returns the settings of a seed, without its records. */
export function settingsOf(seed: SeedSettings): SeedSettings {
  const { clock, now, deliveryTimestamps, specGaps, faults, randomSeed } = seed;
  return { clock, now, deliveryTimestamps, specGaps, faults, randomSeed };
}

/** The initial time of a workspace with these settings, in milliseconds since the Unix epoch. */
export function startOf({ now }: SeedSettings, machine: Clock): number {
  return now === undefined ? machine.now() : toEpochMilliseconds(now);
}

/** What a reset of a workspace restores, as plain data. */
export type InitialState = {
  readonly settings: SeedSettings;
  readonly state: StateSnapshot;
};

/** An initial state as read from a file or a store. */
export const initialStateSchema: Schema<InitialState> = z.strictObject({
  settings: settingsSchema,
  state: z.strictObject(stateFields),
});

/** What can change in a running workspace besides its records and its clock. */
export type SettingsBesideClock = {
  readonly specGaps: Partial<SpecGaps>;
  readonly faults: SavedFaults;
  /** How the built-in receiver responds. Default: `verify`. */
  readonly receiver?: ReceiverMode | undefined;
};

export const settingsBesideClockSchema = z.strictObject({
  specGaps: specGapsSchema,
  faults: savedFaultsSchema,
  receiver: z.optional(receiverModeSchema),
});

/** One workspace in a server's state: its records, time and other settings. It can resume from it in another process. */
export type WorkspaceInState = StateSnapshot &
  SettingsBesideClock & {
    /** The SHA-256 of each key, in hex. Nothing has the keys themselves. */
    readonly apiKeyDigests: readonly string[];
    readonly clock: ClockPosition;
    /** The latest entries, and how many were dropped. Only the file of a failed test has them. */
    readonly journal?: { readonly forgotten: number; readonly entries: readonly WrittenEntry[] } | undefined;
    /** The state that a reset restores. */
    readonly initialState: InitialState;
  };

export const digestSchema = z
  .string()
  .check(z.regex(/^[0-9a-f]{64}$/, 'must be the SHA-256 digest of a key: 64 digits of lower-case hex'));

/** Up to the last instant, or as far back or ahead. */
const milliseconds = z
  .int('must be a whole number of milliseconds')
  .check(z.gte(-lastInstant, 'is too far in the past'), z.lte(lastInstant, 'is beyond the year 9899'));

export const workspaceInStateSchema: Schema<WorkspaceInState> = z.strictObject({
  apiKeyDigests: z.array(digestSchema),
  clock: z.discriminatedUnion('flow', [
    z.strictObject({ flow: z.literal('frozen'), now: milliseconds }),
    z.strictObject({ flow: z.literal('flowing'), ahead: milliseconds }),
  ]),
  ...settingsBesideClockSchema.shape,
  ...stateFields,
  journal: z.optional(
    z.strictObject({
      forgotten: count,
      entries: z.array(z.custom<WrittenEntry>(hasText('type'), 'must be an entry of a journal')),
    }),
  ),
  initialState: initialStateSchema,
});
