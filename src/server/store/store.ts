import type {
  Consent,
  ContactRecord,
  EventRecord,
  JourneyRunRecord,
  WorkspaceRecord,
  WorkspaceState,
} from '../model/records.js';
import type { Claim } from './claim.js';
import { type ContactStore, contactEffects, type NewContact, type UpsertedContact } from './contact-store.js';
import type { EffectsOf } from './effects.js';
import { type EventStore, eventEffects } from './event-store.js';
import { type JourneyStore, journeyEffects } from './journey-store.js';
import { type OutboxEvent, type OutboxStore, outboxEffects } from './outbox-store.js';
import { type SegmentStore, segmentEffects } from './segment-store.js';
import { type SendStore, sendEffects } from './send-store.js';
import { type SubscriptionStore, subscriptionEffects } from './subscription-store.js';
import { type TemplateStore, templateEffects } from './template-store.js';

/**
 * Where the service keeps its state.
 *
 * Each verb, here and in all parts of a store, is one atomic step: it happens whole or not at all, whatever runs at the
 * same time. A store over a database does each in one transaction. What a verb has given never changes afterwards.
 */
export interface Store {
  /**
   * Adds a workspace that holds what the record says, and nothing else.
   *
   * @throws Error where a workspace has its id.
   */
  createWorkspace(workspace: WorkspaceRecord): Promise<void>;
  /** Deletes a workspace with all that it holds, and its keys. Does nothing where there is none. */
  deleteWorkspace(workspaceId: string): Promise<void>;
  /** The part of the store that belongs to a workspace. It can be asked for while `createWorkspace` is under way. */
  workspace(workspaceId: string): WorkspaceStore;

  /**
   * Lets a key open the workspace. The key is told by its SHA-256 digest in hex: the store never holds a key. Does
   * nothing where the workspace does not exist, or the key opens it already.
   *
   * @throws Error where the key opens another workspace.
   */
  addApiKey(workspaceId: string, digest: string): Promise<void>;
  /** Takes the key from the workspace. False where it has no such key. */
  removeApiKey(workspaceId: string, digest: string): Promise<boolean>;
  /** The id of the workspace that the key with this digest opens. Undefined where it opens none. */
  findWorkspaceId(apiKeyDigest: string): Promise<string | undefined>;
}

/**
 * One workspace's part of the store, by aggregate. It reaches no other workspace. The verbs at its root concern several
 * aggregates at once.
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

  /** Deletes the contact with its events and journey runs, those that are claimed too. False where there is none. */
  deleteContact(contactId: string): Promise<boolean>;
  /** Adds an event, which waits to be processed. False where its contact does not exist. */
  recordEvent(event: EventRecord): Promise<boolean>;
  /**
   * Marks the claimed event as processed, adds the journey runs that it starts, and ends the claim. False where the
   * claim is not the latest, or has ended, or the event is gone with its contact: then nothing is added.
   */
  completeEvent(claim: Claim, runs: readonly JourneyRunRecord[]): Promise<boolean>;
  /**
   * Deletes the subscription, and cancels the pending deliveries to it that nobody has claimed. Those that are claimed
   * stay pending until their claim ends. False where there is none.
   */
  deleteSubscription(subscriptionId: string): Promise<boolean>;
  /**
   * Takes a contact's message in. Upserts the contact, merging the properties; sets their consent, where the message
   * asks for one; and adds to the outbox one delivery of each event for each enabled subscription to its type.
   */
  receiveMessage(message: IncomingMessage): Promise<ReceivedMessage>;

  /**
   * How many of the records that are over the store has forgotten to make room. What was rejected or deleted is not
   * forgotten. A store that forgets nothing gives zeros.
   */
  countForgotten(): Promise<ForgottenRecords>;
  /**
   * All that the workspace holds, as if every claim had been given up: events and runs wait, deliveries are due as they
   * were, or cancelled where their subscription is deleted, and a pending send was never begun.
   */
  readState(): Promise<WorkspaceState>;
  /** Replaces all that the workspace holds, but for its id. No claim from before settles anything. */
  replaceState(state: WorkspaceState): Promise<void>;
}

const workspaceEffects: EffectsOf<WorkspaceStore> = {
  templates: templateEffects,
  contacts: contactEffects,
  sends: sendEffects,
  events: eventEffects,
  segments: segmentEffects,
  journeys: journeyEffects,
  subscriptions: subscriptionEffects,
  outbox: outboxEffects,
  deleteContact: 'writes',
  recordEvent: 'writes',
  completeEvent: 'writes',
  deleteSubscription: 'writes',
  receiveMessage: 'writes',
  countForgotten: 'reads',
  readState: 'reads',
  replaceState: 'writes',
};

export const storeEffects: EffectsOf<Store> = {
  createWorkspace: 'writes',
  deleteWorkspace: 'writes',
  workspace: workspaceEffects,
  addApiKey: 'writes',
  removeApiKey: 'writes',
  findWorkspaceId: 'reads',
};

/** How many of each kind were forgotten since the workspace began, or since its state was replaced. */
export interface ForgottenRecords {
  readonly sends: number;
  readonly deliveries: number;
  readonly journeyRuns: number;
}

export interface IncomingMessage {
  readonly contact: NewContact;
  /** The consent that the message asks for, if any. */
  readonly consent: Consent | undefined;
  /**
   * Makes the events of the contact as the message leaves them, and of whether it changed their consent. Where it
   * throws, the verb rejects with that, and nothing changes. A store may call it again to try its transaction again.
   */
  readonly compose: (contact: ContactRecord, consentChanged: boolean) => readonly OutboxEvent[];
}

export interface ReceivedMessage extends UpsertedContact {
  readonly consentChanged: boolean;
  /** The subscriptions to which deliveries were added, each once. */
  readonly subscriptionIds: readonly string[];
}
