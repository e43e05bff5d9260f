import type { ContactProperties } from '../../contract/contact.js';
import type { WebhookEventType } from '../../contract/delivery.js';
import type { Bytes } from '../../foundation/bytes.js';
import type { Fields, Page, PageRange } from '../model/page.js';
import type {
  AttemptRecord,
  Consent,
  ContactFilter,
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
} from '../model/records.js';

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

/**
 * The right to settle one record. Until the lease of a claim expires, no one else can claim the record. Only the latest claim
 * of a record can settle it, and only once. A claim whose lease has expired remains the latest until the record is claimed
 * again.
 */
export interface Claim {
  /** The id of the claimed record. */
  readonly id: string;
  /** Unique among the claims of a record, even if the state is replaced between two claims. */
  readonly token: string;
}

/**
 * Does the work of a claim. If the work fails, releases the claim, because no other process can do the work during the claim.
 *
 * @throws The error of the work.
 */
export async function orRelease<Result>(
  work: () => Promise<Result>,
  release: () => Promise<void>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    // If the store is unreachable, the claim expires with its lease.
    await release().catch(() => {});
    throw error;
  }
}

/** The templates, the segments or the journeys of a workspace. The members of segments are computed, not stored. */
export interface DefinitionStore<Kept> {
  /** Returns all definitions in the order of their addition. */
  list(): Promise<readonly Kept[]>;
  find(id: string): Promise<Kept | undefined>;
  /** Adds the definition at the end, or replaces the one with its id. The runs of a journey stay. */
  put(definition: Kept): Promise<void>;
  /** Deletes the definition. False if it does not exist. The runs of a journey stay. */
  delete(id: string): Promise<boolean>;
}

/** The contacts of a workspace. */
export interface ContactStore {
  /**
   * Creates a contact with the id `newId` and an unknown consent. If a contact with the phone exists, merges or replaces its
   * properties, and keeps its id and its consent.
   *
   * @throws Error `idTaken` if another contact has the id `newId`.
   */
  upsert(contact: NewContact, existing: 'merge' | 'replace'): Promise<UpsertedContact>;
  findById(contactId: string): Promise<ContactRecord | undefined>;
  findByPhone(phone: string): Promise<ContactRecord | undefined>;
  /** Merges the properties into those of the contact. Undefined if the contact does not exist. */
  update(contactId: string, properties: ContactProperties): Promise<ContactRecord | undefined>;
  count(): Promise<number>;
  /** Returns a page of the contacts that match, in the order of their creation. */
  page(filter: ContactFilter, range: PageRange): Promise<Page<ContactRecord>>;
}

/** Returns the error of a contact that was to be created with the id of another one. */
export function idTaken(): Error {
  return new Error('Another contact of this workspace already has the id for this one. Nothing was changed.');
}

export interface NewContact {
  readonly newId: string;
  readonly phone: string;
  readonly properties: ContactProperties;
}

export interface UpsertedContact {
  readonly contact: ContactRecord;
  readonly created: boolean;
}

/** The sends of a workspace, and its quota. */
export interface SendStore {
  /** Returns the remaining quota. */
  readQuota(): Promise<QuotaRecord>;
  /**
   * Sets the remaining conversations of the plan, the add-on credits, or both. Keeps undefined fields. Returns the new quota.
   */
  setQuota(quota: QuotaChange): Promise<QuotaRecord>;
  /**
   * Takes one conversation from the plan or, if that is used up, from the add-on credits. Adds the send as pending, and claims
   * it. Returns undefined and adds nothing if no conversation is left.
   *
   * A step of a journey run is sent and paid once. If the process that began it has died, `begin` claims that pending send again. If
   * it was sent, `begin` returns undefined.
   *
   * @param step - The position of the step in the run of `journeyRunId`.
   */
  begin(send: NewSend, step?: number): Promise<ClaimedSend | undefined>;
  /** Finds the send of a step of a journey run. */
  findOfStep(journeyRunId: string, step: number): Promise<SendRecord | undefined>;
  /**
   * Settles the claimed send. An accepted send gets the status `sent`. A rejected send is removed, and a refund returns its
   * conversation to where it came from. Returns false and changes nothing if the claim is not the latest or has ended.
   */
  settle(claim: Claim, outcome: SendOutcome): Promise<boolean>;
  /** Claims the oldest pending send without a running lease: the process that began it has stopped. */
  claimAbandoned(): Promise<ClaimedSend | undefined>;
  /**
   * Returns a page of the sends with these values: the pending ones in the order of their start, the sent ones in the order in which
   * they were accepted. They remain when their contact is deleted. A store may drop the oldest sent ones.
   */
  page(fields: SendFields, range: PageRange): Promise<Page<SendRecord>>;
}

export type SendFields = Fields<
  SendRecord,
  'status' | 'contactId' | 'phone' | 'templateId' | 'text' | 'journeyRunId'
>;

export type NewSend = Omit<SendRecord, 'status' | 'paidBy'>;

export interface ClaimedSend {
  readonly claim: Claim;
  readonly send: SendRecord;
}

export type SendOutcome =
  | { readonly accepted: true }
  | { readonly accepted: false; readonly refund: boolean };

/** The tracked events of a workspace. `WorkspaceStore` records and completes them, because both also affect other records. */
export interface EventStore {
  /** Claims the oldest unprocessed event without a running lease. */
  claimNext(): Promise<ClaimedEvent | undefined>;
  /** Ends the claim of an event that could not be processed, so that it can be claimed again. Does nothing if it is not the latest. */
  release(claim: Claim): Promise<void>;
  /**
   * Counts the contact's processed events of this name that were accepted after `since`, which can be -Infinity.
   */
  count(contactId: string, event: string, since: number): Promise<number>;
  /** Returns a page of the events with these values, processed or not, in the order of their recording. */
  page(fields: EventFields, range: PageRange): Promise<Page<EventRecord>>;
}

export type EventFields = Fields<EventRecord, 'contactId' | 'event'>;

export interface ClaimedEvent {
  readonly claim: Claim;
  readonly event: EventRecord;
}

/** The journeys of a workspace, and the runs of its contacts through them. */
export interface JourneyStore extends DefinitionStore<JourneyRecord> {
  /** Returns the journeys that an event of this name starts, in the order of `list`. */
  listStartedBy(event: string): Promise<readonly JourneyRecord[]>;
  /** Claims the run. Undefined if it does not exist, has ended, has a running lease, or its next step is not due. */
  claimRun(runId: string, now: number): Promise<ClaimedRun | undefined>;
  /** Saves the claimed run, and ends the claim. False if the claim is not the latest or has ended. */
  saveRun(claim: Claim, run: JourneyRunRecord): Promise<boolean>;
  /** Ends the claim of a run whose step failed, so that it can be claimed again. Does nothing if the claim is not the latest. */
  releaseRun(claim: Claim): Promise<void>;
  /** Returns a page of the runs in the order of their start. A store may drop the oldest ended runs. */
  pageOfRuns(range: PageRange): Promise<Page<JourneyRunRecord>>;
}

export interface ClaimedRun {
  readonly claim: Claim;
  readonly run: JourneyRunRecord;
}

/** The webhook subscriptions of a workspace. `WorkspaceStore` deletes them, because that also cancels their pending deliveries. */
export interface SubscriptionStore {
  create(subscription: SubscriptionRecord): Promise<void>;
  /** Returns all subscriptions, including managed ones, in the order of their creation. */
  list(): Promise<readonly SubscriptionRecord[]>;
}

/**
 * The webhook deliveries of a workspace, pending and finished. `receiveMessage` of `WorkspaceStore` adds deliveries, and
 * `deleteSubscription` cancels those of its subscription.
 */
export interface OutboxStore {
  /**
   * Claims up to `limit` pending deliveries to the subscription that are due at `now` and have no running lease. Orders
   * them by due time, and those of the same time by their creation. Claims nothing if the subscription was deleted.
   */
  claimDue(subscriptionId: string, now: number, limit: number): Promise<readonly ClaimedDelivery[]>;
  /**
   * Adds an attempt to the claimed delivery, sets the status in `after`, and ends the claim. If the subscription was deleted, a
   * delivery to retry is cancelled instead. Returns undefined and changes nothing if the claim is not the latest or has ended.
   */
  recordAttempt(
    claim: Claim,
    attempt: AttemptRecord,
    after: AfterAttempt,
  ): Promise<DeliveryRecord | undefined>;
  /**
   * Ends the claim without an attempt. The delivery is due as before, or cancelled if its subscription was deleted. Does
   * nothing if the claim is not the latest or has ended.
   */
  release(claim: Claim): Promise<void>;
  /**
   * Adds another delivery of the same bytes to the same subscription, due at `now`, without attempts, and with the first
   * one's id in `redeliveryOf`. Undefined if the delivery or the subscription does not exist.
   *
   * @param only - `if_failed` adds nothing to a delivery that has not failed, or that has a redelivery. Of many such calls at
   * once, one adds a delivery.
   */
  redeliver(
    deliveryId: string,
    newId: string,
    now: number,
    only?: 'if_failed',
  ): Promise<DeliveryRecord | RefusedRedelivery | undefined>;
  find(deliveryId: string): Promise<DeliveryRecord | undefined>;
  /** Returns a page of the deliveries with these values, in the order of their creation. A store may drop the oldest finished ones. */
  page(fields: DeliveryFields, range: PageRange): Promise<Page<DeliveryRecord>>;
}

export interface DeliveryFields extends Fields<DeliveryRecord, 'event' | 'status' | 'subscriptionId'> {
  /** The contact in the data of the event. */
  readonly contactId?: string | undefined;
  readonly phone?: string | undefined;
}

/** Why a delivery was not redelivered: it has not failed, or it has a redelivery. */
export type RefusedRedelivery = 'not_failed' | 'redelivered';

/** A delivery to attempt now, and the secret that signs it. */
export interface ClaimedDelivery {
  readonly claim: Claim;
  readonly delivery: DeliveryRecord;
  readonly secret: string;
}

/** A webhook event to add to the outbox. */
export interface OutboxEvent {
  readonly type: WebhookEventType;
  /** The exact bytes to sign and send. */
  readonly body: Bytes;
  /** When the event happened, in milliseconds since the Unix epoch. Its deliveries are due at once. */
  readonly createdAt: number;
  /** Creates the id of each delivery. */
  readonly newDeliveryId: () => string;
}

/** The status of a delivery after an attempt. */
export type AfterAttempt =
  | { readonly status: 'delivered' | 'failed' }
  | { readonly status: 'pending'; readonly dueAt: number };

/** Returns the content of a new workspace. */
export function emptyState(workspace: WorkspaceRecord): WorkspaceState {
  return {
    workspace,
    contacts: [],
    events: [],
    waitingEventIds: [],
    journeyRuns: [],
    sends: [],
    subscriptions: [],
    deliveries: [],
  };
}
