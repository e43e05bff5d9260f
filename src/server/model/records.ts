import type { ContactProperties, PropertyValue } from '../../contract/contact.js';
import type { WebhookEventType } from '../../contract/delivery.js';
import type { EventProperties } from '../../contract/event.js';
import type { Bytes } from '../../foundation/bytes.js';
import type { DeliveryFault } from './fault.js';

/**
 * The status of a template at the chat provider. Only an approved template can be sent. The service's document names only
 * `approved`; the reference server adds the others.
 */
export type TemplateStatus = 'approved' | 'pending' | 'rejected' | 'paused';

/** A placeholder in a template's body: a number in double braces. */
export const placeholder = /\{\{(\d+)\}\}/g;

/** Returns the numbers of the placeholders in a template's body, as strings, in ascending order. */
export function placeholdersOf(body: string): readonly string[] {
  const numbers = new Set([...body.matchAll(placeholder)].map(([, number]) => Number(number)));
  return [...numbers].sort((a, b) => a - b).map(String);
}

/**
 * A condition on a property of a contact. A missing property only fulfills `exists: false`. The property `phone` is the
 * contact's phone.
 *
 * @example
 * ```ts
 * import type { PropertyCondition } from 'messaging-automation/server';
 *
 * const conditions: PropertyCondition[] = [
 *   { property: 'city', equals: 'Paris' },
 *   { property: 'orders', atLeast: 3 },
 *   { property: 'tags', includes: 'vip' },
 *   { property: 'email', exists: false },
 * ];
 * ```
 */
export type PropertyCondition =
  /** True for the same value. Arrays must have the same strings in the same order. */
  | { readonly property: string; readonly equals: PropertyValue }
  | { readonly property: string; readonly exists: boolean }
  /** True if the property is an array of strings that includes this one. */
  | { readonly property: string; readonly includes: string }
  /** `atLeast` and `below` compare a property that is a number. */
  | { readonly property: string; readonly atLeast: number }
  | { readonly property: string; readonly below: number };

/**
 * Where the value of a placeholder comes from: fixed text, a property of the contact, or a property of the event that started
 * the journey. Numbers and booleans become text, an array of strings becomes a comma-separated list. The send fails if the
 * property is missing.
 *
 * @example
 * ```ts
 * import type { VariableSource } from 'messaging-automation/server';
 *
 * const variables: Record<string, VariableSource> = {
 *   '1': { contact: 'firstName' },
 *   '2': { event: 'orderId' },
 *   '3': 'https://example.com/help',
 * };
 * ```
 */
export type VariableSource = string | { readonly contact: string } | { readonly event: string };

/** The records of the store. All times are milliseconds since the Unix epoch. */

/** A template of a workspace. */
export type TemplateRecord = {
  readonly id: string;
  readonly name: string;
  readonly language: string;
  readonly status: TemplateStatus;
  readonly body: string;
  /** The numbers of the placeholders in `body`, as strings, in ascending order. */
  readonly variables: readonly string[];
};

/** The contacts with at least `atLeast` processed events of the name `event`, in the last `within` milliseconds if that is set. */
export type EventSegmentRecord = {
  readonly id: string;
  readonly event: string;
  /** How many of these events a contact needs. */
  readonly atLeast: number;
  /** How long an event counts after the service accepts it, in milliseconds. Without it, always. */
  readonly within?: number;
};

/** The contacts whose properties meet every condition. */
export type PropertySegmentRecord = {
  readonly id: string;
  readonly where: readonly PropertyCondition[];
};

export type SegmentRecord = EventSegmentRecord | PropertySegmentRecord;

/** A journey: the steps that follow an event. Branches are flattened, so that a position is one number. */
export type JourneyRecord = {
  readonly id: string;
  /** The event that starts it. */
  readonly event: string;
  readonly steps: readonly JourneyStepRecord[];
};

export type JourneyStepRecord =
  /** Continues after this many milliseconds. */
  | { readonly kind: 'wait'; readonly duration: number }
  /** Continues with the next step if the condition is true, else with the step `otherwise`. */
  | { readonly kind: 'branch'; readonly on: JourneyCondition; readonly otherwise: number }
  /** Continues with the step `to`. */
  | { readonly kind: 'jump'; readonly to: number }
  | {
      readonly kind: 'send';
      readonly templateId: string;
      readonly variables: Readonly<Record<string, VariableSource>>;
    };

export type JourneyCondition = PropertyCondition | { readonly segment: string };

/** The status of a journey run. Deleting a contact deletes its runs. */
export type JourneyRunStatus = 'waiting' | 'finished' | 'failed';

/** One run of a journey for one contact. */
export interface JourneyRunRecord {
  readonly id: string;
  readonly journeyId: string;
  readonly contactId: string;
  /** The event that started the run. */
  readonly eventId: string;
  readonly eventProperties: EventProperties;
  /** Milliseconds since the Unix epoch, by the workspace's clock. */
  readonly startedAt: number;
  /** What the run does now. */
  readonly status: JourneyRunStatus;
  /** The index of the next step. */
  readonly position: number;
  /** When the next step is due. For an ended run: when it ended. */
  readonly dueAt: number;
  /** Why the run failed, if it did. */
  readonly error?: string;
}

export type WorkspaceRecord = {
  readonly id: string;
  /** The remaining conversations of the plan. */
  readonly quota: number;
  readonly addOnCredits: number;
  readonly templates: readonly TemplateRecord[];
  readonly segments: readonly SegmentRecord[];
  readonly journeys: readonly JourneyRecord[];
};

/** A contact's consent. It is unknown until the contact writes START or STOP. */
export type Consent = 'unknown' | 'opted_in' | 'opted_out';

export const consents = ['unknown', 'opted_in', 'opted_out'] as const satisfies readonly Consent[];

/** A contact of a workspace. */
export interface ContactRecord {
  readonly id: string;
  readonly phone: string;
  /** All properties except the phone. */
  readonly properties: ContactProperties;
  readonly consent: Consent;
}

/** Selects contacts. A contact must match every field that is set. */
export type ContactFilter = {
  readonly phone?: string | undefined;
  readonly consent?: Consent | undefined;
  /** Values of properties, compared as text: `5` equals `'5'`. An array property matches if it includes the value. */
  readonly properties?: Readonly<Record<string, string | number | boolean>> | undefined;
};

/** What pays for a send: the plan's quota first, then add-on credits. */
export type QuotaSource = 'plan' | 'add_on';

/** The remaining conversations. */
export type QuotaRecord = {
  /** Remaining conversations of the plan. */
  readonly quota: number;
  /** Remaining add-on credits. Sends use them after the plan is used up. */
  readonly addOnCredits: number;
};

/** A change of the remaining conversations. Fields that you leave out keep their values. */
export type QuotaChange = {
  /** The new number of conversations of the plan. */
  readonly quota?: number | undefined;
  /** The new number of add-on credits. */
  readonly addOnCredits?: number | undefined;
};

/** A template message. */
export interface SendRecord {
  readonly id: string;
  /** `pending` until the provider accepts the message. */
  readonly status: 'pending' | 'sent';
  readonly contactId: string;
  readonly phone: string;
  readonly templateId: string;
  readonly variables: Readonly<Record<string, string>>;
  /** The template's body with its placeholders filled in. */
  readonly text: string;
  /** What the conversation was taken from: the plan or the add-on credits. */
  readonly paidBy: QuotaSource;
  /** The journey run that sent the message, if the API did not. */
  readonly journeyRunId?: string;
  /** True if the contact had opted out. */
  readonly toOptedOut?: boolean;
  /** Milliseconds since the Unix epoch, by the workspace's clock. */
  readonly sentAt: number;
}

/** A tracked event. */
export interface EventRecord {
  readonly id: string;
  readonly contactId: string;
  readonly event: string;
  readonly properties: EventProperties;
  /** Milliseconds since the Unix epoch, by the workspace's clock. */
  readonly acceptedAt: number;
}

export type SubscriptionRecord = {
  readonly id: string;
  /** True if the service itself manages it for an automation platform. The API neither lists nor deletes it. */
  readonly managed: boolean;
  readonly url: string;
  readonly events: readonly WebhookEventType[];
  readonly secret: string;
  readonly enabled: boolean;
  readonly createdAt: number;
};

/** One attempt of a delivery. */
export type AttemptRecord = {
  /** 1 for the first. */
  readonly number: number;
  /** Milliseconds since the Unix epoch, by the workspace's clock. */
  readonly startedAt: number;
  /** The start by the machine's clock. Missing if an injected fault replaced the request. */
  readonly machineTime?: number;
  /** How long the request and its response took, by the machine's clock, in whole milliseconds. */
  readonly duration?: number;
  /** The value of the signature header. */
  readonly signature: string;
  /** The `timestamp` in the sent body, if it differs from the one in the delivery's body: see `specGaps.retriedBody`. */
  readonly timestamp?: number;
  /** The status of the receiver's response, if there was one, even if the response was incomplete. */
  readonly status?: number;
  /** The receiver's clock, from the `Date` header of its response: milliseconds since the Unix epoch. */
  readonly receiverTime?: number;
  /** The headers of the receiver's response, as they came: the first 4,096 characters of them, and `Location`. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** The first 4,096 bytes of the receiver's response body, as text. If it was interrupted: what had come. */
  readonly responseBody?: string;
  /** The same bytes in base64, if they are not UTF-8. */
  readonly responseBodyBase64?: string;
  /** The length of the whole response body, in bytes. Missing if it is longer than what was read, and no header says it. */
  readonly responseBodyLength?: number;
  /** Whether the response was interrupted, or did not end in time. */
  readonly responseInterrupted?: true;
  /** The URL that the response came from, if the attempt followed a redirect: see `specGaps.receiverRedirect`. */
  readonly redirectedTo?: string;
  /** Why the attempt failed, if it did. */
  readonly error?: string;
  /** The injected faults, if any. */
  readonly faults?: readonly DeliveryFault[];
};

/** The status of a delivery. Deleting the subscription cancels its pending deliveries. */
export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'cancelled';

export const deliveryStatuses = [
  'pending',
  'delivered',
  'failed',
  'cancelled',
] as const satisfies readonly DeliveryStatus[];

/** The delivery of one event to one subscription, with all its attempts. */
export interface DeliveryRecord {
  readonly id: string;
  readonly subscriptionId: string;
  readonly event: WebhookEventType;
  readonly url: string;
  /** The exact bytes that each attempt signs and sends. */
  readonly body: Bytes;
  readonly status: DeliveryStatus;
  readonly attempts: readonly AttemptRecord[];
  /** The id of the delivery that this one repeats, if it is a redelivery. */
  readonly redeliveryOf?: string;
  /** When the next attempt is due, if there is one: milliseconds since the Unix epoch. */
  readonly dueAt?: number;
  /** Milliseconds since the Unix epoch, by the workspace's clock. */
  readonly createdAt: number;
}

/** The state of a workspace, as a snapshot keeps it. */
export type WorkspaceState = {
  readonly workspace: WorkspaceRecord;
  readonly contacts: readonly ContactRecord[];
  /** Oldest first. */
  readonly events: readonly EventRecord[];
  /** The ids of the events that are not processed yet. */
  readonly waitingEventIds: readonly string[];
  readonly journeyRuns: readonly JourneyRunRecord[];
  readonly sends: readonly SendRecord[];
  readonly subscriptions: readonly SubscriptionRecord[];
  readonly deliveries: readonly DeliveryRecord[];
};
