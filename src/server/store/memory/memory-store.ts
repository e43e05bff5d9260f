import type { ChangeKind, TellChange } from '../../model/change.js';
import type {
  DeliveryRecord,
  EventRecord,
  JourneyRunRecord,
  SegmentRecord,
  SubscriptionRecord,
  TemplateRecord,
  WorkspaceRecord,
  WorkspaceState,
} from '../../model/records.js';
import {
  type Claim,
  emptyState,
  type ForgottenRecords,
  type IncomingMessage,
  type OutboxEvent,
  type ReceivedMessage,
  type Store,
  type SubscriptionStore,
  type WorkspaceStore,
} from '../store.js';
import { type KeptOptions, type Lease, MemoryDefinitions } from './kept-records.js';
import { MemoryContacts } from './memory-contacts.js';
import { MemoryEvents } from './memory-events.js';
import { MemoryJourneys } from './memory-journeys.js';
import { deliveryOf, MemoryOutbox } from './memory-outbox.js';
import { MemorySends } from './memory-sends.js';

export interface MemoryStoreOptions {
  /** How long a claim is valid. Default: until it is settled, because no other process shares the store. */
  readonly lease?: Lease;
  /** Called at each change of the state. A claim is no change, because it ends with the process. */
  readonly changed?: TellChange;
}

/** A store in the memory of this process. */
export class MemoryStore implements Store {
  readonly #options: MemoryStoreOptions;
  readonly #workspaces = new Map<string, MemoryWorkspace>();
  /** The ids of the workspaces of keys, by their digests. */
  readonly #ownersOfKeys = new Map<string, string>();

  constructor(options: MemoryStoreOptions = {}) {
    this.#options = options;
  }

  async createWorkspace(record: WorkspaceRecord): Promise<void> {
    if (this.#workspaces.has(record.id)) throw new Error('A workspace of this store has this id already.');
    this.#workspaces.set(record.id, new MemoryWorkspace(record, this.#options));
    this.#options.changed?.({ kind: 'workspaces' });
  }

  async deleteWorkspace(workspaceId: string): Promise<void> {
    this.#workspaces.delete(workspaceId);
    for (const [digest, owner] of this.#ownersOfKeys) {
      if (owner === workspaceId) this.#ownersOfKeys.delete(digest);
    }
    this.#options.changed?.({ kind: 'workspaces' });
  }

  workspace(workspaceId: string): WorkspaceStore {
    const workspace = this.#workspaces.get(workspaceId);
    if (workspace === undefined) throw new Error('No workspace of this store has this id.');
    return workspace;
  }

  async addApiKey(workspaceId: string, digest: string): Promise<void> {
    if (!this.#workspaces.has(workspaceId)) return;
    const owner = this.#ownersOfKeys.get(digest) ?? workspaceId;
    if (owner !== workspaceId) throw new Error('This API key belongs to another workspace of this store.');
    this.#ownersOfKeys.set(digest, workspaceId);
    this.#options.changed?.({ kind: 'keys', workspaceId });
  }

  async removeApiKey(workspaceId: string, digest: string): Promise<boolean> {
    if (this.#ownersOfKeys.get(digest) !== workspaceId) return false;
    this.#ownersOfKeys.delete(digest);
    this.#options.changed?.({ kind: 'keys', workspaceId });
    return true;
  }

  async findWorkspaceId(apiKeyDigest: string): Promise<string | undefined> {
    return this.#ownersOfKeys.get(apiKeyDigest);
  }
}

/** One workspace's webhook subscriptions in memory. */
export class MemorySubscriptions extends MemoryDefinitions<SubscriptionRecord> implements SubscriptionStore {
  create(subscription: SubscriptionRecord): Promise<void> {
    return this.put(subscription);
  }
}

/**
 * One workspace in memory. No method awaits between reading and writing, so each is atomic, as the port requires.
 */
export class MemoryWorkspace implements WorkspaceStore {
  readonly id: string;
  readonly templates: MemoryDefinitions<TemplateRecord>;
  readonly contacts: MemoryContacts;
  readonly sends: MemorySends;
  readonly events: MemoryEvents;
  readonly segments: MemoryDefinitions<SegmentRecord>;
  readonly journeys: MemoryJourneys;
  readonly subscriptions: MemorySubscriptions;
  readonly outbox: MemoryOutbox;
  readonly #changed: TellChange;

  constructor(
    workspace: WorkspaceRecord,
    {
      lease = { duration: Number.POSITIVE_INFINITY, now: () => 0 },
      changed = () => {},
    }: MemoryStoreOptions = {},
  ) {
    // The numbers continue when the state is replaced, so that a claim on the earlier state is invalid in the new one, and a cursor
    // comes before all its records.
    let numbers = 0;
    const newNumber = () => {
      numbers += 1;
      return numbers;
    };
    const of = (kind: ChangeKind): KeptOptions => ({
      lease,
      changed: () => changed({ kind, workspaceId: workspace.id }),
      newNumber,
    });
    this.id = workspace.id;
    this.templates = new MemoryDefinitions(of('templates'));
    this.contacts = new MemoryContacts(of('contacts'));
    this.sends = new MemorySends(of('sends'));
    this.events = new MemoryEvents(of('events'));
    this.segments = new MemoryDefinitions(of('segments'));
    this.journeys = new MemoryJourneys(of('journeys'));
    this.subscriptions = new MemorySubscriptions(of('subscriptions'));
    this.outbox = new MemoryOutbox(of('deliveries'), this.subscriptions);
    this.#changed = changed;
    this.#load(emptyState(workspace));
  }

  async deleteContact(contactId: string): Promise<boolean> {
    if (!this.contacts.delete(contactId)) return false;
    this.events.deleteOf(contactId);
    this.journeys.deleteRunsOf(contactId);
    return true;
  }

  async recordEvent(event: EventRecord): Promise<boolean> {
    if (this.contacts.records.get(event.contactId) === undefined) return false;
    this.events.add(event);
    return true;
  }

  async completeEvent(claim: Claim, runs: readonly JourneyRunRecord[]): Promise<boolean> {
    if (!this.events.complete(claim)) return false;
    for (const run of runs) this.journeys.runs.set(run);
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
      sends: this.sends.records.forgotten,
      events: this.events.records.forgotten,
      deliveries: this.outbox.records.forgotten,
      journeyRuns: this.journeys.runs.forgotten,
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
      contacts: this.contacts.records.all(),
      events: this.events.records.all(),
      waitingEventIds: this.events.listWaiting(),
      journeyRuns: this.journeys.runs.all(),
      sends,
      subscriptions: this.subscriptions.all(),
      deliveries: this.outbox.allReleased(),
    };
  }

  async replaceState(state: WorkspaceState): Promise<void> {
    this.#load(state);
    this.#changed({ workspaceId: this.id });
  }

  #load({ workspace, ...state }: WorkspaceState): void {
    this.templates.load(workspace.templates);
    this.contacts.load(state.contacts);
    this.sends.load(workspace, state.sends);
    this.events.load(state.events, state.waitingEventIds);
    this.segments.load(workspace.segments);
    this.journeys.load(workspace.journeys);
    this.journeys.runs.load(state.journeyRuns);
    this.subscriptions.load(state.subscriptions);
    this.outbox.load(state.deliveries);
  }

  /** One delivery of the event for each enabled subscription to it. */
  #deliveriesOf(event: OutboxEvent): readonly DeliveryRecord[] {
    return this.subscriptions
      .all()
      .filter(({ enabled, events }) => enabled && events.includes(event.type))
      .map((subscription) => deliveryOf(event, subscription));
  }
}
