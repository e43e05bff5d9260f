import type { ContactProperties } from '../../contract/contact.js';
import type { WebhookEventType } from '../../contract/delivery.js';
import type { EventProperties } from '../../contract/event.js';
import type { Bytes } from '../../foundation/bytes.js';
import type { DeliveryFault } from './fault.js';
import type { PropertyCondition } from './property-condition.js';
import type { TemplateStatus } from './template-status.js';
import type { VariableSource } from './variable-source.js';

/** What the store keeps. All times are milliseconds since the Unix epoch. */

/**
 * A template of a workspace.
 *
 * @example
 * ```ts
 * import type { TemplateRecord } from 'messaging-automation/server';
 *
 * const canBeSent = ({ status }: TemplateRecord) => status === 'approved';
 * ```
 */
export interface TemplateRecord {
  readonly id: string;
  readonly name: string;
  readonly language: string;
  readonly status: TemplateStatus;
  readonly body: string;
  /** The numbers of the placeholders in `body`, as strings, in ascending order. */
  readonly variables: readonly string[];
}

/** The contacts for whom `event` was processed at least `atLeast` times, within the last `within` milliseconds if told. */
export interface EventSegmentRecord {
  readonly id: string;
  readonly event: string;
  readonly atLeast: number;
  readonly within?: number;
}

/** The contacts whose properties meet every condition. */
export interface PropertySegmentRecord {
  readonly id: string;
  readonly where: readonly PropertyCondition[];
}

export type SegmentRecord = EventSegmentRecord | PropertySegmentRecord;

/** A journey: what follows an event, step by step. Branches are laid out flat, so that a place in it is a number. */
export interface JourneyRecord {
  readonly id: string;
  /** The event that starts it. */
  readonly event: string;
  readonly steps: readonly JourneyStepRecord[];
}

export type JourneyStepRecord =
  /** Goes on after this many milliseconds. */
  | { readonly kind: 'wait'; readonly duration: number }
  /** Goes on with the next step where the condition holds, else with the step `otherwise`. */
  | { readonly kind: 'branch'; readonly on: JourneyCondition; readonly otherwise: number }
  /** Goes on with the step `to`. */
  | { readonly kind: 'jump'; readonly to: number }
  | {
      readonly kind: 'send';
      readonly templateId: string;
      readonly variables: Readonly<Record<string, VariableSource>>;
    };

export type JourneyCondition = PropertyCondition | { readonly segment: string };

/**
 * How a contact's way through a journey stands. A run whose contact is deleted is gone with it.
 *
 * @example
 * ```ts
 * import type { JourneyRunStatus } from 'messaging-automation/server';
 *
 * const isOver = (status: JourneyRunStatus) => status !== 'waiting';
 * ```
 */
export type JourneyRunStatus = 'waiting' | 'finished' | 'failed';

/**
 * One contact on its way through one journey.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type JourneyRunRecord } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * const runs: readonly JourneyRunRecord[] = await server.journal.journeyRuns();
 * console.log(runs.map(({ journeyId, status }) => [journeyId, status])); // []
 * ```
 */
export interface JourneyRunRecord {
  readonly id: string;
  readonly journeyId: string;
  readonly contactId: string;
  /** The event that started it. */
  readonly eventId: string;
  readonly eventProperties: EventProperties;
  readonly startedAt: number;
  readonly status: JourneyRunStatus;
  /** The index of the step that comes next. */
  readonly position: number;
  /** When that step is due; for a run that is over, when it ended. */
  readonly dueAt: number;
  /** Why it failed, where it did. */
  readonly error?: string;
}

export interface WorkspaceRecord {
  readonly id: string;
  /** Conversations of the plan and add-on credits left to spend. */
  readonly quota: number;
  readonly addOnCredits: number;
  readonly templates: readonly TemplateRecord[];
  readonly segments: readonly SegmentRecord[];
  readonly journeys: readonly JourneyRecord[];
}

/**
 * A contact's consent. It is unknown until the contact writes START or STOP.
 *
 * @example
 * ```ts
 * import { type Consent, createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * await server.simulate.inboundMessage({ phone: '+15551234567', body: 'START' });
 * const consent: Consent | undefined = await server.journal.consent('+15551234567');
 * console.log(consent); // opted_in
 * ```
 */
export type Consent = 'unknown' | 'opted_in' | 'opted_out';

/**
 * A contact of a workspace.
 *
 * @example
 * ```ts
 * import type { ContactRecord } from 'messaging-automation/server';
 *
 * const optedOut = (contacts: readonly ContactRecord[]) => contacts.filter(({ consent }) => consent === 'opted_out');
 * ```
 */
export interface ContactRecord {
  readonly id: string;
  readonly phone: string;
  /** All properties but the phone. */
  readonly properties: ContactProperties;
  readonly consent: Consent;
}

/**
 * What pays for a send: the plan's quota first, then add-on credits.
 *
 * @example
 * ```ts
 * import type { QuotaSource, SendRecord } from 'messaging-automation/server';
 *
 * const paidBy = (sends: readonly SendRecord[], source: QuotaSource) =>
 *   sends.filter((send) => send.paidBy === source).length;
 * ```
 */
export type QuotaSource = 'plan' | 'add_on';

/**
 * The conversations that are left to spend.
 *
 * @example
 * ```ts
 * import type { QuotaRecord } from 'messaging-automation/server';
 *
 * const isUsedUp = ({ quota, addOnCredits }: QuotaRecord) => quota + addOnCredits === 0;
 * ```
 */
export interface QuotaRecord {
  /** Of the plan. */
  readonly quota: number;
  /** Beside the plan, for when that is used up. */
  readonly addOnCredits: number;
}

/**
 * What of the conversations that are left is to be otherwise. What is not named stays.
 *
 * @example
 * ```ts
 * import type { QuotaChange } from 'messaging-automation/server';
 *
 * const usedUp: QuotaChange = { quota: 0 };
 * ```
 */
export interface QuotaChange {
  /** Conversations of the plan. */
  readonly quota?: number | undefined;
  /** Conversations beside the plan, for when that is used up. */
  readonly addOnCredits?: number | undefined;
}

/**
 * A message that was sent, or is about to be.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type SendRecord } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * const sends: readonly SendRecord[] = await server.journal.sends();
 * console.log(sends.map((send) => send.text)); // []
 * ```
 */
export interface SendRecord {
  readonly id: string;
  /** `pending` while the provider is asked. */
  readonly status: 'pending' | 'sent';
  readonly contactId: string;
  readonly phone: string;
  readonly templateId: string;
  readonly variables: Readonly<Record<string, string>>;
  /** The template's body with its placeholders filled in. */
  readonly text: string;
  readonly paidBy: QuotaSource;
  /** The journey run that sent it, where it was not the API. */
  readonly journeyRunId?: string;
  /** Milliseconds since the Unix epoch, by the workspace's clock. */
  readonly sentAt: number;
}

/**
 * An event that was tracked.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type EventRecord } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * const events: readonly EventRecord[] = await server.journal.events();
 * console.log(events.map(({ event, properties }) => [event, properties])); // []
 * ```
 */
export interface EventRecord {
  readonly id: string;
  readonly contactId: string;
  readonly event: string;
  readonly properties: EventProperties;
  /** Milliseconds since the Unix epoch, by the workspace's clock. */
  readonly acceptedAt: number;
}

export interface SubscriptionRecord {
  readonly id: string;
  /** Kept by the service itself for an automation platform (§1): delivered to, but neither listed nor deletable. */
  readonly managed: boolean;
  readonly url: string;
  readonly events: readonly WebhookEventType[];
  readonly secret: string;
  readonly enabled: boolean;
  readonly createdAt: number;
}

/**
 * One try at a delivery.
 *
 * @example
 * ```ts
 * import type { AttemptRecord } from 'messaging-automation/server';
 *
 * const describe = ({ number, status, error }: AttemptRecord) => `attempt ${number}: ${error ?? status}`;
 * ```
 */
export interface AttemptRecord {
  /** 1 for the first. */
  readonly number: number;
  /** Milliseconds since the Unix epoch, by the workspace's clock. */
  readonly startedAt: number;
  readonly signature: string;
  /** The receiver's status, where it answered; also where the rest of its answer never came. */
  readonly status?: number;
  /** The receiver's answer, or the first 4,096 bytes of it. */
  readonly answer?: string;
  /** Why the attempt failed, where it did. */
  readonly error?: string;
  /** The faults that were injected, where there were any. */
  readonly faults?: readonly DeliveryFault[];
}

/**
 * How a delivery stands. It is cancelled when its subscription is deleted before it was delivered or had failed.
 *
 * @example
 * ```ts
 * import type { DeliveryStatus } from 'messaging-automation/server';
 *
 * const isOver = (status: DeliveryStatus) => status !== 'pending';
 * ```
 */
export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'cancelled';

/**
 * One event on its way to one subscription, with every attempt so far.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type DeliveryRecord } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * const deliveries: readonly DeliveryRecord[] = await server.journal.deliveries();
 * for (const { body, status } of deliveries) console.log(status, new TextDecoder().decode(body));
 * ```
 */
export interface DeliveryRecord {
  readonly id: string;
  readonly subscriptionId: string;
  readonly event: WebhookEventType;
  readonly url: string;
  /** The exact bytes that are signed and sent, at every attempt. */
  readonly body: Bytes;
  readonly status: DeliveryStatus;
  readonly attempts: readonly AttemptRecord[];
  /** When the next attempt is due, while there is one to come: milliseconds since the Unix epoch. */
  readonly dueAt?: number;
  /** Milliseconds since the Unix epoch, by the workspace's clock. */
  readonly createdAt: number;
}

/** All that a workspace holds: what a snapshot keeps. */
export interface WorkspaceState {
  readonly workspace: WorkspaceRecord;
  readonly contacts: readonly ContactRecord[];
  /** Oldest first, as all that follows. */
  readonly events: readonly EventRecord[];
  /** The events that are not processed yet. */
  readonly waitingEventIds: readonly string[];
  readonly journeyRuns: readonly JourneyRunRecord[];
  readonly sends: readonly SendRecord[];
  readonly subscriptions: readonly SubscriptionRecord[];
  readonly deliveries: readonly DeliveryRecord[];
}
