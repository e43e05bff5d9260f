import type { ContactProperties } from '../../../contract/contact.js';
import type {
  AttemptRecord,
  ClaimedDelivery,
  ContactRecord,
  DeliveryRecord,
  EventRecord,
  JourneyRecord,
  JourneyRunRecord,
  QuotaChange,
  QuotaRecord,
  SegmentRecord,
  SendRecord,
  SubscriptionRecord,
  TemplateRecord,
  WorkspaceRecord,
  WorkspaceState,
} from '../../model/records.js';
import type {
  AfterAttempt,
  ForgottenRecords,
  NewContact,
  OutboxEvent,
  ReceivedMessage,
  SendOutcome,
  UpsertedContact,
  WorkspaceStore,
} from '../store.js';
import { MemoryContacts } from './memory-contacts.js';
import { MemoryDefinitions } from './memory-definitions.js';
import { MemoryEvents } from './memory-events.js';
import { MemoryJourneyRuns } from './memory-journey-runs.js';
import { deliveryOf, MemoryOutbox } from './memory-outbox.js';
import { MemorySends } from './memory-sends.js';

/** How many of the sends, of the deliveries that are over, and of the journey runs that are over are kept. */
const kept = 10_000;

/**
 * One workspace in memory. No verb awaits anything between reading and writing, so each is atomic as the port
 * demands.
 */
export class MemoryWorkspace implements WorkspaceStore {
  readonly id: string;
  #definitions: MemoryDefinitions;
  #contacts = new MemoryContacts();
  #events = new MemoryEvents();
  #journeyRuns = new MemoryJourneyRuns(kept);
  #sends: MemorySends;
  #subscriptions = new Map<string, SubscriptionRecord>();
  #outbox = new MemoryOutbox(kept);

  constructor(workspace: WorkspaceRecord) {
    this.id = workspace.id;
    this.#definitions = new MemoryDefinitions(workspace);
    this.#sends = new MemorySends(workspace, kept);
  }

  async listTemplates(): Promise<readonly TemplateRecord[]> {
    return [...this.#definitions.templates.values()];
  }

  async findTemplate(templateId: string): Promise<TemplateRecord | undefined> {
    return this.#definitions.templates.get(templateId);
  }

  async putTemplate(template: TemplateRecord): Promise<void> {
    this.#definitions.templates.set(template.id, template);
  }

  async deleteTemplate(templateId: string): Promise<boolean> {
    return this.#definitions.templates.delete(templateId);
  }

  async upsertContact(contact: NewContact, existing: 'merge' | 'replace'): Promise<UpsertedContact> {
    return this.#contacts.upsert(contact, existing);
  }

  async findContactById(contactId: string): Promise<ContactRecord | undefined> {
    return this.#contacts.withId(contactId);
  }

  async findContactByPhone(phone: string): Promise<ContactRecord | undefined> {
    return this.#contacts.withPhone(phone);
  }

  async updateContact(contactId: string, properties: ContactProperties): Promise<ContactRecord | undefined> {
    return this.#contacts.update(contactId, properties);
  }

  async deleteContact(contactId: string): Promise<boolean> {
    if (!this.#contacts.delete(contactId)) return false;
    this.#events.deleteOf(contactId);
    this.#journeyRuns.deleteOf(contactId);
    return true;
  }

  async listContacts(): Promise<readonly ContactRecord[]> {
    return this.#contacts.list();
  }

  async readQuota(): Promise<QuotaRecord> {
    return this.#sends.quota;
  }

  async setQuota(quota: QuotaChange): Promise<QuotaRecord> {
    return this.#sends.setQuota(quota);
  }

  async beginSend(send: Omit<SendRecord, 'status' | 'paidBy'>): Promise<SendRecord | undefined> {
    return this.#sends.begin(send);
  }

  async settleSend(sendId: string, outcome: SendOutcome): Promise<void> {
    this.#sends.settle(sendId, outcome);
  }

  async listSends(): Promise<readonly SendRecord[]> {
    return this.#sends.list();
  }

  async recordEvent(event: EventRecord): Promise<boolean> {
    if (this.#contacts.withId(event.contactId) === undefined) return false;
    this.#events.add(event);
    return true;
  }

  async claimNextEvent(): Promise<EventRecord | undefined> {
    return this.#events.claimNext();
  }

  async completeEvent(eventId: string, runs: readonly JourneyRunRecord[]): Promise<boolean> {
    if (!this.#events.complete(eventId)) return false;
    for (const run of runs) this.#journeyRuns.add(run);
    return true;
  }

  async countEvents(contactId: string, event: string, since: number): Promise<number> {
    return this.#events.count(contactId, event, since);
  }

  async listEvents(): Promise<readonly EventRecord[]> {
    return this.#events.list();
  }

  async listSegments(): Promise<readonly SegmentRecord[]> {
    return [...this.#definitions.segments.values()];
  }

  async findSegment(segmentId: string): Promise<SegmentRecord | undefined> {
    return this.#definitions.segments.get(segmentId);
  }

  async putSegment(segment: SegmentRecord): Promise<void> {
    this.#definitions.segments.set(segment.id, segment);
  }

  async deleteSegment(segmentId: string): Promise<boolean> {
    return this.#definitions.segments.delete(segmentId);
  }

  async listJourneys(): Promise<readonly JourneyRecord[]> {
    return [...this.#definitions.journeys.values()];
  }

  async listJourneysStartedBy(event: string): Promise<readonly JourneyRecord[]> {
    return this.#definitions.journeysStartedBy(event);
  }

  async findJourney(journeyId: string): Promise<JourneyRecord | undefined> {
    return this.#definitions.journeys.get(journeyId);
  }

  async putJourney(journey: JourneyRecord): Promise<void> {
    this.#definitions.journeys.set(journey.id, journey);
  }

  async deleteJourney(journeyId: string): Promise<boolean> {
    return this.#definitions.journeys.delete(journeyId);
  }

  async claimJourneyRun(runId: string, now: number): Promise<JourneyRunRecord | undefined> {
    return this.#journeyRuns.claim(runId, now);
  }

  async saveJourneyRun(run: JourneyRunRecord): Promise<boolean> {
    return this.#journeyRuns.save(run);
  }

  async listJourneyRuns(): Promise<readonly JourneyRunRecord[]> {
    return this.#journeyRuns.list();
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

  async receiveMessage({
    contact: sender,
    consent,
    compose,
  }: Parameters<WorkspaceStore['receiveMessage']>[0]): Promise<ReceivedMessage> {
    const { contact: known, created } = this.#contacts.upserted(sender, 'merge');
    const consentChanged = consent !== undefined && known.consent !== consent;
    const contact = consentChanged ? { ...known, consent } : known;
    // All of it is composed before any of it is kept: a message that cannot be composed changes nothing.
    const deliveries = compose(contact, consentChanged).flatMap((event) => this.#deliveriesOf(event));
    this.#contacts.keep(contact);
    for (const delivery of deliveries) this.#outbox.add(delivery);
    const subscriptionIds = [...new Set(deliveries.map(({ subscriptionId }) => subscriptionId))];
    return { contact, created, consentChanged, subscriptionIds };
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

  async recordAttempt(
    deliveryId: string,
    attempt: AttemptRecord,
    after: AfterAttempt,
  ): Promise<DeliveryRecord | undefined> {
    return this.#outbox.recordAttempt(deliveryId, attempt, after);
  }

  async releaseDelivery(deliveryId: string): Promise<void> {
    this.#outbox.release(deliveryId);
  }

  async redeliver(deliveryId: string, newId: string, now: number): Promise<DeliveryRecord | undefined> {
    const delivery = this.#outbox.get(deliveryId);
    const subscription = this.#subscriptions.get(delivery?.subscriptionId ?? '');
    if (delivery === undefined || subscription === undefined) return undefined;
    const { event: type, body } = delivery;
    const again = deliveryOf({ type, body, createdAt: now, newDeliveryId: () => newId }, subscription);
    this.#outbox.add(again);
    return again;
  }

  async listDeliveries(): Promise<readonly DeliveryRecord[]> {
    return this.#outbox.list();
  }

  async countForgotten(): Promise<ForgottenRecords> {
    return {
      sends: this.#sends.forgotten,
      deliveries: this.#outbox.forgotten,
      journeyRuns: this.#journeyRuns.forgotten,
    };
  }

  async readState(): Promise<WorkspaceState> {
    const { quota, sends } = this.#sends.withoutPending();
    return {
      workspace: { id: this.id, ...quota, ...this.#definitions.list() },
      contacts: this.#contacts.list(),
      events: this.#events.list(),
      waitingEventIds: this.#events.listWaiting(),
      journeyRuns: this.#journeyRuns.list(),
      sends,
      subscriptions: [...this.#subscriptions.values()],
      deliveries: this.#outbox.listGivenBack(),
    };
  }

  async replaceState(state: WorkspaceState): Promise<void> {
    this.#definitions = new MemoryDefinitions(state.workspace);
    this.#contacts = new MemoryContacts(state.contacts);
    this.#events = new MemoryEvents(state.events, state.waitingEventIds);
    this.#journeyRuns = new MemoryJourneyRuns(kept, state.journeyRuns);
    this.#sends = new MemorySends(state.workspace, kept, state.sends);
    this.#subscriptions = new Map(state.subscriptions.map((each) => [each.id, each]));
    this.#outbox = new MemoryOutbox(kept, state.deliveries);
  }

  /** One delivery of the event for each subscription that wants it. */
  #deliveriesOf(event: OutboxEvent): readonly DeliveryRecord[] {
    return [...this.#subscriptions.values()]
      .filter(({ enabled, events }) => enabled && events.includes(event.type))
      .map((subscription) => deliveryOf(event, subscription));
  }
}
