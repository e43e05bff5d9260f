import type {
  Consent,
  ContactRecord,
  EventRecord,
  JourneyRunRecord,
  WorkspaceRecord,
  WorkspaceState,
} from '../model/records.js';
import type { Claim } from './claim.js';
import type { ContactStore, NewContact, UpsertedContact } from './contact-store.js';
import type { EventStore } from './event-store.js';
import type { JourneyStore } from './journey-store.js';
import type { OutboxEvent, OutboxStore } from './outbox-store.js';
import type { SegmentStore } from './segment-store.js';
import type { SendStore } from './send-store.js';
import type { SubscriptionStore } from './subscription-store.js';
import type { TemplateStore } from './template-store.js';

/**
 * Where the service keeps its state.
 *
 * Each verb, here and in all that this leads to, is one atomic step: it happens whole or not at all, whatever else
 * runs beside it. A store over a database does each in one transaction.
 */
export interface Store {
  /**
   * Adds an empty workspace.
   *
   * @throws Error where one has its id.
   */
  createWorkspace(workspace: WorkspaceRecord): Promise<void>;
  /** Deletes a workspace with all that it holds, and its keys. */
  deleteWorkspace(workspaceId: string): Promise<void>;
  /** The part of the store that belongs to a workspace that was created. */
  workspace(workspaceId: string): WorkspaceStore;

  /**
   * Lets the key with this SHA-256 digest, in hex, open the workspace, where that exists. The store never holds a key.
   *
   * @throws Error where the key opens another workspace.
   */
  addApiKey(workspaceId: string, digest: string): Promise<void>;
  /** Takes the key from the workspace. False where it has no such key. */
  removeApiKey(workspaceId: string, digest: string): Promise<boolean>;
  /** The id of the workspace that the key with this digest opens. */
  findWorkspaceId(apiKeyDigest: string): Promise<string | undefined>;
}

/**
 * One workspace's part of the store, by aggregate. Whoever holds it can reach no other workspace. The verbs at its root
 * are those that concern several aggregates at once.
 */
export interface WorkspaceStore {
  readonly id: string;
  readonly templates: TemplateStore;
  readonly contacts: ContactStore;
  readonly sends: SendStore;
  readonly events: EventStore;
  readonly segments: SegmentStore;
  readonly journeys: JourneyStore;
  readonly subscriptions: SubscriptionStore;
  readonly outbox: OutboxStore;

  /** Deletes the contact with its events and journey runs. False where there is none. */
  deleteContact(contactId: string): Promise<boolean>;
  /** Adds an event, to be processed. False where its contact is gone. */
  recordEvent(event: EventRecord): Promise<boolean>;
  /**
   * Marks a claimed event as processed and adds the journey runs that it starts. False where the claim is not the
   * latest, or the event is gone with its contact.
   */
  completeEvent(claim: Claim, runs: readonly JourneyRunRecord[]): Promise<boolean>;
  /** Deletes the subscription and cancels whatever waits to be delivered to it. False where there is none. */
  deleteSubscription(subscriptionId: string): Promise<boolean>;
  /**
   * Adds what a contact's message changes: the contact, who may be new, their consent, and in the outbox one delivery
   * of each event for each subscription to it.
   */
  receiveMessage(message: IncomingMessage): Promise<ReceivedMessage>;

  /** How many of what is over the store has forgotten, to make room. A store that forgets nothing gives zeros. */
  countForgotten(): Promise<ForgottenRecords>;
  /** All that the workspace holds. What is claimed counts as waiting, a pending send as not begun. */
  readState(): Promise<WorkspaceState>;
  /** Replaces all that the workspace holds. Every claim is void. */
  replaceState(state: WorkspaceState): Promise<void>;
}

/** How many of each kind were forgotten since the workspace began, or since its state was replaced. */
export interface ForgottenRecords {
  readonly sends: number;
  readonly deliveries: number;
  readonly journeyRuns: number;
}

export interface IncomingMessage {
  readonly contact: NewContact;
  /** The consent that the message asks for, where it does. */
  readonly consent: Consent | undefined;
  /** The events, given the contact and whether the message changed their consent. Where it throws, nothing changes. */
  readonly compose: (contact: ContactRecord, consentChanged: boolean) => readonly OutboxEvent[];
}

export interface ReceivedMessage extends UpsertedContact {
  readonly consentChanged: boolean;
  /** The subscriptions that have something to be delivered now. */
  readonly subscriptionIds: readonly string[];
}
