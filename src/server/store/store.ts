import type { ContactProperties } from '../../contract/contact.js';
import type { WebhookEventType } from '../../contract/delivery.js';
import type {
  AttemptRecord,
  ClaimedDelivery,
  Consent,
  ContactRecord,
  DeliveryRecord,
  EventRecord,
  QuotaRecord,
  QuotaSource,
  SegmentRecord,
  SendRecord,
  SubscriptionRecord,
  TemplateRecord,
  WorkspaceRecord,
} from './records.js';

/**
 * Where the service keeps its state.
 *
 * Each verb here and in `WorkspaceStore` is one atomic step: it happens whole or not at all, whatever else runs
 * beside it. A store over a database does each in one transaction.
 */
export interface Store {
  createWorkspace(workspace: WorkspaceRecord): Promise<WorkspaceStore>;
  /** The workspace that owns the key with this digest. */
  findWorkspace(apiKeyDigest: string): Promise<WorkspaceStore | undefined>;
}

/** One workspace's part of the store. Whoever holds it can reach no other workspace. */
export interface WorkspaceStore {
  readonly id: string;

  listTemplates(): Promise<readonly TemplateRecord[]>;
  findTemplate(templateId: string): Promise<TemplateRecord | undefined>;

  /** Creates the contact under `newId`, or merges the properties into the contact that has the phone. */
  upsertContact(contact: {
    readonly newId: string;
    readonly phone: string;
    readonly properties: ContactProperties;
  }): Promise<{ readonly contact: ContactRecord; readonly created: boolean }>;
  findContactById(contactId: string): Promise<ContactRecord | undefined>;
  findContactByPhone(phone: string): Promise<ContactRecord | undefined>;
  /** Merges the properties into the contact's. Undefined where there is no such contact. */
  updateContact(contactId: string, properties: ContactProperties): Promise<ContactRecord | undefined>;
  /** Removes the contact with its properties, events and segment memberships. False where there is none. */
  deleteContact(contactId: string): Promise<boolean>;

  /** What is left to spend. */
  readQuota(): Promise<QuotaRecord>;
  /** Takes one conversation off the plan or, when that is used up, off the add-on credits. */
  spendQuota(): Promise<QuotaSource | undefined>;
  /** Gives back what `spendQuota` took for a send that the provider then rejected. */
  refundQuota(source: QuotaSource): Promise<void>;
  recordSend(send: SendRecord): Promise<void>;
  listSends(): Promise<readonly SendRecord[]>;

  /** Takes an event in; false where its contact is gone. */
  recordEvent(event: EventRecord): Promise<boolean>;
  /** Takes the oldest event that waits to be processed; nobody else gets it. */
  claimNextEvent(): Promise<EventRecord | undefined>;
  /** How often the contact had the event, counted over all that were taken in. */
  countEvents(contactId: string, event: string): Promise<number>;
  /** Settles a claimed event and puts its contact, where it still exists, into the segments. */
  completeEvent(eventId: string, segmentIds: readonly string[]): Promise<void>;
  /** The events of the contacts there are, oldest first. */
  listEvents(): Promise<readonly EventRecord[]>;
  listSegments(): Promise<readonly SegmentRecord[]>;
  listSegmentMembers(segmentId: string): Promise<readonly string[]>;

  createSubscription(subscription: SubscriptionRecord): Promise<void>;
  listSubscriptions(): Promise<readonly SubscriptionRecord[]>;
  /** Removes the subscription and whatever waits to be delivered to it. False where there is none. */
  deleteSubscription(subscriptionId: string): Promise<boolean>;

  /**
   * Puts one delivery of the event into the outbox for each subscription that wants it.
   *
   * @returns The ids of those subscriptions.
   */
  enqueueDeliveries(event: OutboxEvent): Promise<readonly string[]>;
  /**
   * Sets the contact's consent and, where that changes it, enqueues the event that says so, in one step.
   *
   * @returns The ids of the subscriptions that want the event; undefined where the consent was the same.
   */
  changeConsent(
    contactId: string,
    consent: Consent,
    event: OutboxEvent,
  ): Promise<readonly string[] | undefined>;
  /** Takes up to `limit` deliveries that are due; nobody else gets them before `recordAttempt`. */
  claimDueDeliveries(subscriptionId: string, now: number, limit: number): Promise<readonly ClaimedDelivery[]>;
  /** Logs an attempt at a claimed delivery and releases the claim. */
  recordAttempt(deliveryId: string, attempt: AttemptRecord, after: AfterAttempt): Promise<void>;
  listDeliveries(): Promise<readonly DeliveryRecord[]>;
}

/** A webhook event on its way into the outbox. */
export interface OutboxEvent {
  readonly type: WebhookEventType;
  /** The exact bytes to sign and send. */
  readonly body: Uint8Array<ArrayBuffer>;
  readonly createdAt: number;
  /** Names the delivery to each subscription. */
  readonly newDeliveryId: () => string;
}

/** How a delivery stands after an attempt. */
export type AfterAttempt =
  | { readonly status: 'delivered' | 'failed' }
  | { readonly status: 'pending'; readonly dueAt: number };
