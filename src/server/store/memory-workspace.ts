import type { ContactProperties } from '../../contract/contact.js';
import { MemoryOutbox } from './memory-outbox.js';
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
import type { AfterAttempt, OutboxEvent, WorkspaceStore } from './store.js';

/**
 * One workspace in memory. No verb awaits anything between reading and writing, so each is atomic as the port
 * demands.
 */
export class MemoryWorkspace implements WorkspaceStore {
  readonly id: string;
  readonly #templates: ReadonlyMap<string, TemplateRecord>;
  readonly #segments: readonly SegmentRecord[];
  readonly #contactsById = new Map<string, ContactRecord>();
  readonly #contactIdsByPhone = new Map<string, string>();
  readonly #sends: SendRecord[] = [];
  /** Every event by its id, oldest first, and by its contact. */
  readonly #events = new Map<string, EventRecord>();
  readonly #eventsOfContacts = new Map<string, EventRecord[]>();
  readonly #waitingEvents = new Map<string, EventRecord>();
  readonly #claimedEvents = new Map<string, EventRecord>();
  readonly #members = new Map<string, Set<string>>();
  readonly #subscriptions = new Map<string, SubscriptionRecord>();
  readonly #outbox = new MemoryOutbox();
  #quota: number;
  #addOnCredits: number;

  constructor(record: WorkspaceRecord) {
    this.id = record.id;
    this.#templates = new Map(record.templates.map((template) => [template.id, template]));
    this.#segments = record.segments;
    this.#quota = record.quota;
    this.#addOnCredits = record.addOnCredits;
  }

  async listTemplates(): Promise<readonly TemplateRecord[]> {
    return [...this.#templates.values()];
  }

  async findTemplate(templateId: string): Promise<TemplateRecord | undefined> {
    return this.#templates.get(templateId);
  }

  async upsertContact(contact: {
    readonly newId: string;
    readonly phone: string;
    readonly properties: ContactProperties;
  }): Promise<{ readonly contact: ContactRecord; readonly created: boolean }> {
    const existing = this.#byPhone(contact.phone);
    if (existing !== undefined) return { contact: this.#merge(existing, contact.properties), created: false };
    const created: ContactRecord = {
      id: contact.newId,
      phone: contact.phone,
      properties: contact.properties,
      consent: 'unknown',
    };
    this.#contactsById.set(created.id, created);
    this.#contactIdsByPhone.set(created.phone, created.id);
    return { contact: created, created: true };
  }

  async findContactById(contactId: string): Promise<ContactRecord | undefined> {
    return this.#contactsById.get(contactId);
  }

  async findContactByPhone(phone: string): Promise<ContactRecord | undefined> {
    return this.#byPhone(phone);
  }

  async updateContact(contactId: string, properties: ContactProperties): Promise<ContactRecord | undefined> {
    const existing = this.#contactsById.get(contactId);
    return existing === undefined ? undefined : this.#merge(existing, properties);
  }

  async deleteContact(contactId: string): Promise<boolean> {
    const contact = this.#contactsById.get(contactId);
    if (contact === undefined) return false;
    this.#contactsById.delete(contactId);
    this.#contactIdsByPhone.delete(contact.phone);
    for (const event of this.#eventsOfContacts.get(contactId) ?? []) {
      this.#events.delete(event.id);
      this.#waitingEvents.delete(event.id);
      this.#claimedEvents.delete(event.id);
    }
    this.#eventsOfContacts.delete(contactId);
    for (const members of this.#members.values()) members.delete(contactId);
    return true;
  }

  async readQuota(): Promise<QuotaRecord> {
    return { quota: this.#quota, addOnCredits: this.#addOnCredits };
  }

  async spendQuota(): Promise<QuotaSource | undefined> {
    if (this.#quota > 0) {
      this.#quota -= 1;
      return 'plan';
    }
    if (this.#addOnCredits > 0) {
      this.#addOnCredits -= 1;
      return 'add_on';
    }
    return undefined;
  }

  async refundQuota(source: QuotaSource): Promise<void> {
    if (source === 'plan') this.#quota += 1;
    else this.#addOnCredits += 1;
  }

  async recordSend(send: SendRecord): Promise<void> {
    this.#sends.push(send);
  }

  async listSends(): Promise<readonly SendRecord[]> {
    return [...this.#sends];
  }

  async recordEvent(event: EventRecord): Promise<boolean> {
    if (!this.#contactsById.has(event.contactId)) return false;
    this.#events.set(event.id, event);
    const ofContact = this.#eventsOfContacts.get(event.contactId);
    if (ofContact === undefined) this.#eventsOfContacts.set(event.contactId, [event]);
    else ofContact.push(event);
    this.#waitingEvents.set(event.id, event);
    return true;
  }

  async claimNextEvent(): Promise<EventRecord | undefined> {
    const event = this.#waitingEvents.values().next().value;
    if (event === undefined) return undefined;
    this.#waitingEvents.delete(event.id);
    this.#claimedEvents.set(event.id, event);
    return event;
  }

  async countEvents(contactId: string, event: string): Promise<number> {
    return (this.#eventsOfContacts.get(contactId) ?? []).filter((record) => record.event === event).length;
  }

  async completeEvent(eventId: string, segmentIds: readonly string[]): Promise<void> {
    const event = this.#claimedEvents.get(eventId);
    // Deleting the contact took the event with it, and nobody is to join a segment any more.
    if (event === undefined) return;
    this.#claimedEvents.delete(eventId);
    for (const segmentId of segmentIds) {
      const members = this.#members.get(segmentId);
      if (members === undefined) this.#members.set(segmentId, new Set([event.contactId]));
      else members.add(event.contactId);
    }
  }

  async listEvents(): Promise<readonly EventRecord[]> {
    return [...this.#events.values()];
  }

  async listSegments(): Promise<readonly SegmentRecord[]> {
    return this.#segments;
  }

  async listSegmentMembers(segmentId: string): Promise<readonly string[]> {
    return [...(this.#members.get(segmentId) ?? [])];
  }

  async createSubscription(subscription: SubscriptionRecord): Promise<void> {
    this.#subscriptions.set(subscription.id, subscription);
  }

  async listSubscriptions(): Promise<readonly SubscriptionRecord[]> {
    return [...this.#subscriptions.values()];
  }

  async deleteSubscription(subscriptionId: string): Promise<boolean> {
    this.#outbox.dropPending(subscriptionId);
    return this.#subscriptions.delete(subscriptionId);
  }

  async enqueueDeliveries(event: OutboxEvent): Promise<readonly string[]> {
    return this.#enqueue(event);
  }

  async changeConsent(
    contactId: string,
    consent: Consent,
    event: OutboxEvent,
  ): Promise<readonly string[] | undefined> {
    const contact = this.#contactsById.get(contactId);
    if (contact === undefined || contact.consent === consent) return undefined;
    this.#contactsById.set(contactId, { ...contact, consent });
    return this.#enqueue(event);
  }

  async claimDueDeliveries(
    subscriptionId: string,
    now: number,
    limit: number,
  ): Promise<readonly ClaimedDelivery[]> {
    const subscription = this.#subscriptions.get(subscriptionId);
    if (subscription === undefined) return [];
    const claimed = this.#outbox.claim(subscriptionId, now, limit);
    return claimed.map((delivery) => ({ delivery, secret: subscription.secret }));
  }

  async recordAttempt(deliveryId: string, attempt: AttemptRecord, after: AfterAttempt): Promise<void> {
    this.#outbox.recordAttempt(deliveryId, attempt, after);
  }

  async listDeliveries(): Promise<readonly DeliveryRecord[]> {
    return this.#outbox.list();
  }

  #byPhone(phone: string): ContactRecord | undefined {
    const id = this.#contactIdsByPhone.get(phone);
    return id === undefined ? undefined : this.#contactsById.get(id);
  }

  #merge(contact: ContactRecord, properties: ContactProperties): ContactRecord {
    const merged = { ...contact, properties: { ...contact.properties, ...properties } };
    this.#contactsById.set(merged.id, merged);
    return merged;
  }

  #enqueue(event: OutboxEvent): readonly string[] {
    const wanting = [...this.#subscriptions.values()].filter(
      (subscription) => subscription.enabled && subscription.events.includes(event.type),
    );
    for (const subscription of wanting) this.#outbox.add(subscription, event);
    return wanting.map((subscription) => subscription.id);
  }
}
