import type {
  Consent,
  ContactRecord,
  EventRecord,
  JourneyRunRecord,
  SegmentRecord,
  TemplateRecord,
  WorkspaceRecord,
  WorkspaceState,
} from '../model/records.js';
import type { Claim } from './claim.js';
import type { ContactStore, NewContact, UpsertedContact } from './contact-store.js';
import type { DefinitionStore } from './definition-store.js';
import type { EventStore } from './event-store.js';
import type { JourneyStore } from './journey-store.js';
import type { OutboxEvent, OutboxStore } from './outbox-store.js';
import type { SendStore } from './send-store.js';
import type { SubscriptionStore } from './subscription-store.js';

/**
 * The port through which the service stores its state.
 *
 * Each method, here and in all parts of a store, is atomic, whatever runs at the same time. A store with a database runs each
 * in one transaction. A returned record never changes afterwards.
 */
export interface Store {
  /**
   * Adds a workspace with the content of the record.
   *
   * @throws Error if a workspace has its id.
   */
  createWorkspace(workspace: WorkspaceRecord): Promise<void>;
  /** Deletes a workspace with its content and its keys. Does nothing if it does not exist. */
  deleteWorkspace(workspaceId: string): Promise<void>;
  /** Returns the part of the store for a workspace. You can call it before `createWorkspace` resolves. */
  workspace(workspaceId: string): WorkspaceStore;

  /**
   * Adds a key to the workspace, by its SHA-256 digest in hex. The store never has the key itself. Does nothing if the
   * workspace does not exist or has the key.
   *
   * @throws Error if the key belongs to another workspace.
   */
  addApiKey(workspaceId: string, digest: string): Promise<void>;
  /** Removes the key from the workspace. False if the workspace does not have it. */
  removeApiKey(workspaceId: string, digest: string): Promise<boolean>;
  /** Returns the id of the workspace with the key of this digest. Undefined if there is none. */
  findWorkspaceId(apiKeyDigest: string): Promise<string | undefined>;
}

/**
 * The part of the store for one workspace, by aggregate. The methods at its root affect several aggregates at once.
 */
export interface WorkspaceStore {
  readonly id: string;
  readonly templates: DefinitionStore<TemplateRecord>;
  readonly contacts: ContactStore;
  readonly sends: SendStore;
  readonly events: EventStore;
  readonly segments: DefinitionStore<SegmentRecord>;
  readonly journeys: JourneyStore;
  readonly subscriptions: SubscriptionStore;
  readonly outbox: OutboxStore;

  /** Deletes the contact with its events and journey runs, even claimed ones. False if it does not exist. */
  deleteContact(contactId: string): Promise<boolean>;
  /** Adds an unprocessed event. False if its contact does not exist. */
  recordEvent(event: EventRecord): Promise<boolean>;
  /**
   * Marks the claimed event as processed, adds the journey runs that it starts, and ends the claim. Returns false and adds
   * nothing if the claim is not the latest or has ended, or the event was deleted with its contact.
   */
  completeEvent(claim: Claim, runs: readonly JourneyRunRecord[]): Promise<boolean>;
  /**
   * Deletes the subscription, and cancels its unclaimed pending deliveries. Claimed ones stay pending until their claim ends.
   * False if the subscription does not exist.
   */
  deleteSubscription(subscriptionId: string): Promise<boolean>;
  /**
   * Stores the effects of a contact's message: upserts the contact with merged properties, sets its consent if the message
   * changes it, and adds one delivery of each event to the outbox for each enabled subscription to its type.
   */
  receiveMessage(message: IncomingMessage): Promise<ReceivedMessage>;

  /**
   * Counts the finished records that the store has dropped to make room. Rejected and deleted records do not count.
   */
  countForgotten(): Promise<ForgottenRecords>;
  /**
   * Returns the whole content of the workspace, as if every claim were released: claimed events and runs wait, claimed
   * deliveries are due or, without their subscription, cancelled, and pending sends do not exist.
   */
  readState(): Promise<WorkspaceState>;
  /**
   * Replaces the whole content of the workspace except its id. Earlier claims become invalid. The aggregates have the new content.
   */
  replaceState(state: WorkspaceState): Promise<void>;
}

/** How many records of each kind were dropped since the workspace was created or its state was replaced. */
export interface ForgottenRecords {
  readonly sends: number;
  readonly events: number;
  readonly deliveries: number;
  readonly journeyRuns: number;
}

export interface IncomingMessage {
  readonly contact: NewContact;
  /** The consent that the message sets, if any. */
  readonly consent: Consent | undefined;
  /**
   * Creates the events from the contact after the message, and from whether its consent changed. If it throws, the method
   * rejects with that error and nothing changes. A store may call it again to repeat its transaction.
   */
  readonly compose: (contact: ContactRecord, consentChanged: boolean) => readonly OutboxEvent[];
}

export interface ReceivedMessage extends UpsertedContact {
  readonly consentChanged: boolean;
  /** The subscriptions to which deliveries were added, each once. */
  readonly subscriptionIds: readonly string[];
}
