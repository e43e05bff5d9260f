import type { ContactProperties } from '../../contract/contact.js';
import type { WebhookEventType } from '../../contract/delivery.js';
import type { EventProperties } from '../../contract/event.js';
import type { TemplateStatus } from '../workspace-seed.js';

/** What the store keeps. All times are milliseconds since the Unix epoch. */

export interface TemplateRecord {
  readonly id: string;
  readonly name: string;
  readonly language: string;
  readonly status: TemplateStatus;
  readonly body: string;
  /** The numbers of the placeholders in `body`, as strings, in ascending order. */
  readonly variables: readonly string[];
}

/** An event-based segment: contacts for whom `event` was recorded at least `atLeast` times. */
export interface SegmentRecord {
  readonly id: string;
  readonly event: string;
  readonly atLeast: number;
}

export interface WorkspaceRecord {
  readonly id: string;
  /** SHA-256 of each key, in hex: the store never holds a key. */
  readonly apiKeyDigests: readonly string[];
  /** Conversations of the plan and add-on credits left to spend. */
  readonly quota: number;
  readonly addOnCredits: number;
  readonly templates: readonly TemplateRecord[];
  readonly segments: readonly SegmentRecord[];
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

export interface QuotaRecord {
  readonly quota: number;
  readonly addOnCredits: number;
}

/**
 * A message that was sent.
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
  readonly contactId: string;
  readonly phone: string;
  readonly templateId: string;
  readonly variables: Readonly<Record<string, string>>;
  /** The template's body with its placeholders filled in. */
  readonly text: string;
  readonly paidBy: QuotaSource;
  /** Milliseconds since the Unix epoch, by the server's clock. */
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
  /** Milliseconds since the Unix epoch, by the server's clock. */
  readonly acceptedAt: number;
}

export interface SubscriptionRecord {
  readonly id: string;
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
  /** Milliseconds since the Unix epoch, by the server's clock. */
  readonly startedAt: number;
  readonly signature: string;
  /** The receiver's status, where it answered; also where the rest of its answer never came. */
  readonly status?: number;
  /** The receiver's answer, or the first 4,096 bytes of it. */
  readonly answer?: string;
  /** Why the attempt failed, where it did. */
  readonly error?: string;
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
  readonly body: Uint8Array<ArrayBuffer>;
  readonly status: DeliveryStatus;
  readonly attempts: readonly AttemptRecord[];
  /** Milliseconds since the Unix epoch, by the server's clock. */
  readonly createdAt: number;
}

/** A delivery that is to be attempted now, with what is needed to do it. */
export interface ClaimedDelivery {
  readonly delivery: DeliveryRecord;
  readonly secret: string;
}
