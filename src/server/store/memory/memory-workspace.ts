import type {
  DeliveryRecord,
  EventRecord,
  JourneyRunRecord,
  WorkspaceRecord,
  WorkspaceState,
} from '../../model/records.js';
import type { Claim } from '../claim.js';
import { emptyState } from '../empty-state.js';
import type { OutboxEvent } from '../outbox-store.js';
import type { ForgottenRecords, IncomingMessage, ReceivedMessage, WorkspaceStore } from '../store.js';
import { endlessLease, type Lease } from './claims.js';
import { type AggregatesOptions, MemoryAggregates } from './memory-aggregates.js';
import { deliveryOf } from './memory-outbox.js';

export interface MemoryStoreOptions {
  /** How long a claim is valid. Default: until it is settled. */
  readonly lease?: Lease;
  /** Called at each change of the state. A claim is no change, because it ends with the process. */
  readonly changed?: () => void;
}

/**
 * One workspace in memory. No method awaits between reading and writing, so each is atomic, as the port requires.
 */
export class MemoryWorkspace implements WorkspaceStore {
  readonly id: string;
  readonly #options: AggregatesOptions;
  #aggregates: MemoryAggregates;
  /**
   * Continues in a replaced state, so that a claim on the earlier state is invalid in the new one, and a cursor comes before all its
   * records.
   */
  #numbers = 0;

  constructor(
    workspace: WorkspaceRecord,
    { lease = endlessLease, changed = () => {} }: MemoryStoreOptions = {},
  ) {
    this.id = workspace.id;
    const newNumber = () => {
      this.#numbers += 1;
      return this.#numbers;
    };
    this.#options = { lease, changed, newNumber, newToken: () => String(newNumber()) };
    this.#aggregates = new MemoryAggregates(emptyState(workspace), this.#options);
  }

  get templates() {
    return this.#aggregates.templates;
  }

  get contacts() {
    return this.#aggregates.contacts;
  }

  get sends() {
    return this.#aggregates.sends;
  }

  get events() {
    return this.#aggregates.events;
  }

  get segments() {
    return this.#aggregates.segments;
  }

  get journeys() {
    return this.#aggregates.journeys;
  }

  get subscriptions() {
    return this.#aggregates.subscriptions;
  }

  get outbox() {
    return this.#aggregates.outbox;
  }

  async deleteContact(contactId: string): Promise<boolean> {
    if (!this.contacts.delete(contactId)) return false;
    this.events.deleteOf(contactId);
    this.journeys.deleteRunsOf(contactId);
    return true;
  }

  async recordEvent(event: EventRecord): Promise<boolean> {
    if (!this.contacts.has(event.contactId)) return false;
    this.events.add(event);
    return true;
  }

  async completeEvent(claim: Claim, runs: readonly JourneyRunRecord[]): Promise<boolean> {
    if (!this.events.complete(claim)) return false;
    for (const run of runs) this.journeys.addRun(run);
    return true;
  }

  async deleteSubscription(subscriptionId: string): Promise<boolean> {
    this.outbox.dropPending(subscriptionId);
    return this.subscriptions.delete(subscriptionId);
  }

  async receiveMessage({ contact: sender, consent, compose }: IncomingMessage): Promise<ReceivedMessage> {
    const { contact: known, created } = this.contacts.upserted(sender, 'merge');
    const consentChanged = consent !== undefined && known.consent !== consent;
    const contact = consentChanged ? { ...known, consent } : known;
    // Compose everything before storing anything, so that an error changes nothing.
    const deliveries = compose(contact, consentChanged).flatMap((event) => this.#deliveriesOf(event));
    this.contacts.keep(contact);
    for (const delivery of deliveries) this.outbox.add(delivery);
    const subscriptionIds = [...new Set(deliveries.map(({ subscriptionId }) => subscriptionId))];
    return { contact, created, consentChanged, subscriptionIds };
  }

  async countForgotten(): Promise<ForgottenRecords> {
    return {
      sends: this.sends.forgotten,
      events: this.events.forgotten,
      deliveries: this.outbox.forgotten,
      journeyRuns: this.journeys.forgotten,
    };
  }

  async readState(): Promise<WorkspaceState> {
    const { quota, sends } = this.sends.withoutPending();
    return {
      workspace: {
        id: this.id,
        ...quota,
        templates: this.templates.all(),
        segments: this.segments.all(),
        journeys: this.journeys.all(),
      },
      contacts: this.contacts.all(),
      events: this.events.all(),
      waitingEventIds: this.events.listWaiting(),
      journeyRuns: this.journeys.allRuns(),
      sends,
      subscriptions: this.subscriptions.all(),
      deliveries: this.outbox.allReleased(),
    };
  }

  async replaceState(state: WorkspaceState): Promise<void> {
    this.#aggregates = new MemoryAggregates(state, this.#options);
    this.#options.changed();
  }

  /** One delivery of the event for each enabled subscription to it. */
  #deliveriesOf(event: OutboxEvent): readonly DeliveryRecord[] {
    return this.subscriptions
      .all()
      .filter(({ enabled, events }) => enabled && events.includes(event.type))
      .map((subscription) => deliveryOf(event, subscription));
  }
}
