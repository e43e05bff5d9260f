import type { ContactProperties } from '../../contract/contact.js';
import type { WebhookEventType } from '../../contract/delivery.js';
import type { EventProperties } from '../../contract/event.js';

/** What the store keeps. All times are milliseconds since the Unix epoch. */

export type TemplateStatus = 'approved' | 'pending' | 'rejected' | 'paused';

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

/** A contact is neither opted in nor out until it says so. */
export type Consent = 'unknown' | 'opted_in' | 'opted_out';

export interface ContactRecord {
  readonly id: string;
  readonly phone: string;
  /** All properties but the phone. */
  readonly properties: ContactProperties;
  readonly consent: Consent;
}

/** What pays for a send: the plan's quota first, then add-on credits. */
export type QuotaSource = 'plan' | 'add_on';

export interface QuotaRecord {
  readonly quota: number;
  readonly addOnCredits: number;
}

export interface SendRecord {
  readonly id: string;
  readonly contactId: string;
  readonly phone: string;
  readonly templateId: string;
  readonly variables: Readonly<Record<string, string>>;
  /** The template's body with its placeholders filled in. */
  readonly text: string;
  readonly paidBy: QuotaSource;
  readonly sentAt: number;
}

export interface EventRecord {
  readonly id: string;
  readonly contactId: string;
  readonly event: string;
  readonly properties: EventProperties;
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

/** One try at a delivery. */
export interface AttemptRecord {
  /** 1 for the first. */
  readonly number: number;
  readonly startedAt: number;
  readonly signature: string;
  /** The receiver's status, where it answered. */
  readonly status?: number;
  /** The beginning of the receiver's answer. */
  readonly answer?: string;
  /** Why the attempt failed, where it did. */
  readonly error?: string;
}

/** A delivery is cancelled when its subscription is deleted before it was delivered or had failed. */
export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'cancelled';

export interface DeliveryRecord {
  readonly id: string;
  readonly subscriptionId: string;
  readonly event: WebhookEventType;
  readonly url: string;
  /** The exact bytes that are signed and sent, at every attempt. */
  readonly body: Uint8Array<ArrayBuffer>;
  readonly status: DeliveryStatus;
  readonly attempts: readonly AttemptRecord[];
  readonly createdAt: number;
}

/** A delivery that is to be attempted now, with what is needed to do it. */
export interface ClaimedDelivery {
  readonly delivery: DeliveryRecord;
  readonly secret: string;
}
