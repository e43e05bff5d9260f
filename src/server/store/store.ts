import type { ContactProperties } from '../../contract/contact.js';
import type { WebhookEventType } from '../../contract/delivery.js';
import type { Bytes } from '../../foundation/bytes.js';
import type {
  AttemptRecord,
  ClaimedDelivery,
  Consent,
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
 * Where the service keeps its state.
 *
 * Each verb here and in `WorkspaceStore` is one atomic step: it happens whole or not at all, whatever else runs
 * beside it. A store over a database does each in one transaction.
 */
export interface Store {
  /**
   * Takes a workspace in, empty.
   *
   * @throws Error where there is one with its id.
   */
  createWorkspace(workspace: WorkspaceRecord): Promise<void>;
  /** Forgets a workspace with all that it holds, and its keys. */
  deleteWorkspace(workspaceId: string): Promise<void>;
  /** The part of the store that a workspace is, for one that was created. */
  workspace(workspaceId: string): WorkspaceStore;

  /**
   * Lets the key with this SHA-256 digest, in hex, open the workspace, if there still is one: the store never holds a
   * key.
   *
   * @throws Error where the key opens another workspace.
   */
  addApiKey(workspaceId: string, digest: string): Promise<void>;
  /** Takes the key from the workspace. False where it has no such key. */
  removeApiKey(workspaceId: string, digest: string): Promise<boolean>;
  /** The id of the workspace that the key with this digest opens. */
  findWorkspaceId(apiKeyDigest: string): Promise<string | undefined>;
}

/** One workspace's part of the store. Whoever holds it can reach no other workspace. */
export interface WorkspaceStore {
  readonly id: string;

  /** In the order in which the workspace was given them. */
  listTemplates(): Promise<readonly TemplateRecord[]>;
  findTemplate(templateId: string): Promise<TemplateRecord | undefined>;
  /** Adds the template, or puts it in the place of the one with its id. */
  putTemplate(template: TemplateRecord): Promise<void>;
  /** False where there is none. */
  deleteTemplate(templateId: string): Promise<boolean>;

  /** Creates the contact under `newId`, or gives the one that has the phone these properties, as `existing` says. */
  upsertContact(contact: NewContact, existing: 'merge' | 'replace'): Promise<UpsertedContact>;
  findContactById(contactId: string): Promise<ContactRecord | undefined>;
  findContactByPhone(phone: string): Promise<ContactRecord | undefined>;
  /** Merges the properties into the contact's. Undefined where there is no such contact. */
  updateContact(contactId: string, properties: ContactProperties): Promise<ContactRecord | undefined>;
  /** Removes the contact with its properties, events and journey runs. False where there is none. */
  deleteContact(contactId: string): Promise<boolean>;
  listContacts(): Promise<readonly ContactRecord[]>;

  /** What is left to spend. */
  readQuota(): Promise<QuotaRecord>;
  /** Sets what is left, of the plan, of the add-on credits or of both. Gives what is left then. */
  setQuota(quota: QuotaChange): Promise<QuotaRecord>;
  /**
   * Takes one conversation off the plan or, when that is used up, off the add-on credits, and notes the send that it
   * is for. Undefined where neither has one left.
   */
  beginSend(send: Omit<SendRecord, 'status' | 'paidBy'>): Promise<SendRecord | undefined>;
  /** Notes what came of a send. One that was rejected is forgotten, and what it took given back if told. */
  settleSend(sendId: string, outcome: SendOutcome): Promise<void>;
  /** The sends that were not rejected, oldest first. */
  listSends(): Promise<readonly SendRecord[]>;

  /** Takes an event in; false where its contact is gone. */
  recordEvent(event: EventRecord): Promise<boolean>;
  /** Takes the oldest event that waits to be processed; nobody else gets it. */
  claimNextEvent(): Promise<EventRecord | undefined>;
  /**
   * Notes that a claimed event was processed, and takes in the journey runs that it starts. False where its contact,
   * and so the event, is gone.
   */
  completeEvent(eventId: string, runs: readonly JourneyRunRecord[]): Promise<boolean>;
  /** How many events of this name were processed for the contact, of those accepted after `since`. */
  countEvents(contactId: string, event: string, since: number): Promise<number>;
  /** The events of the contacts there are, oldest first. */
  listEvents(): Promise<readonly EventRecord[]>;

  /** In the order in which the workspace was given them. */
  listSegments(): Promise<readonly SegmentRecord[]>;
  findSegment(segmentId: string): Promise<SegmentRecord | undefined>;
  /** Adds the segment, or puts it in the place of the one with its id. */
  putSegment(segment: SegmentRecord): Promise<void>;
  /** False where there is none. */
  deleteSegment(segmentId: string): Promise<boolean>;

  /** In the order in which the workspace was given them. */
  listJourneys(): Promise<readonly JourneyRecord[]>;
  /** The journeys that an event of this name starts. */
  listJourneysStartedBy(event: string): Promise<readonly JourneyRecord[]>;
  findJourney(journeyId: string): Promise<JourneyRecord | undefined>;
  /** Adds the journey, or puts it in the place of the one with its id. Its runs go on at the step that has their number. */
  putJourney(journey: JourneyRecord): Promise<void>;
  /** False where there is none. Its runs stay, and end at their next step. */
  deleteJourney(journeyId: string): Promise<boolean>;
  /** Takes a run whose next step is due; nobody else gets it before `saveJourneyRun`. */
  claimJourneyRun(runId: string, now: number): Promise<JourneyRunRecord | undefined>;
  /** Puts a claimed run back as it stands now. False where its contact, and so the run, is gone. */
  saveJourneyRun(run: JourneyRunRecord): Promise<boolean>;
  /** The runs of the contacts there are, oldest first. */
  listJourneyRuns(): Promise<readonly JourneyRunRecord[]>;

  createSubscription(subscription: SubscriptionRecord): Promise<void>;
  /** All of them, those that the service manages itself too. */
  listSubscriptions(): Promise<readonly SubscriptionRecord[]>;
  /** Removes the subscription and whatever waits to be delivered to it. False where there is none. */
  deleteSubscription(subscriptionId: string): Promise<boolean>;

  /**
   * Takes in what a contact's message changes: the contact, who may be new, their consent, and in the outbox one
   * delivery of each event for each subscription that wants it.
   *
   * @param message.compose - The events, given the contact and whether the message changed their consent. Where it
   * throws, nothing changes.
   */
  receiveMessage(message: {
    readonly contact: NewContact;
    readonly consent: Consent | undefined;
    readonly compose: (contact: ContactRecord, consentChanged: boolean) => readonly OutboxEvent[];
  }): Promise<ReceivedMessage>;

  /** Takes up to `limit` deliveries that are due; nobody else gets them before `recordAttempt` or `releaseDelivery`. */
  claimDueDeliveries(subscriptionId: string, now: number, limit: number): Promise<readonly ClaimedDelivery[]>;
  /** Logs an attempt at a claimed delivery and releases the claim. Undefined where nobody holds one. */
  recordAttempt(
    deliveryId: string,
    attempt: AttemptRecord,
    after: AfterAttempt,
  ): Promise<DeliveryRecord | undefined>;
  /** Gives a claimed delivery back without an attempt; it is due as it was, or cancelled with its subscription. */
  releaseDelivery(deliveryId: string): Promise<void>;
  /** Puts the same bytes into the outbox again, for the same subscription. Undefined where either is gone. */
  redeliver(deliveryId: string, newId: string, now: number): Promise<DeliveryRecord | undefined>;
  /** Oldest first. A store may forget the oldest of those that are over. */
  listDeliveries(): Promise<readonly DeliveryRecord[]>;

  /** How many of what is over the store has forgotten, to make room. A store that forgets nothing gives zeros. */
  countForgotten(): Promise<ForgottenRecords>;
  /** All that the workspace holds. What is claimed counts as waiting, a send under way as not begun. */
  readState(): Promise<WorkspaceState>;
  /** Puts what it, or another, held once in the place of all that the workspace holds. Every claim is void. */
  replaceState(state: WorkspaceState): Promise<void>;
}

/** How many of each kind were forgotten since the workspace began, or was put back to an earlier state. */
export interface ForgottenRecords {
  readonly sends: number;
  readonly deliveries: number;
  readonly journeyRuns: number;
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

export type SendOutcome =
  | { readonly accepted: true }
  | { readonly accepted: false; readonly refund: boolean };

export interface ReceivedMessage extends UpsertedContact {
  readonly consentChanged: boolean;
  /** The subscriptions that have something to be delivered now. */
  readonly subscriptionIds: readonly string[];
}

/** A webhook event on its way into the outbox. */
export interface OutboxEvent {
  readonly type: WebhookEventType;
  /** The exact bytes to sign and send. */
  readonly body: Bytes;
  readonly createdAt: number;
  /** Names the delivery to each subscription. */
  readonly newDeliveryId: () => string;
}

/** How a delivery stands after an attempt. */
export type AfterAttempt =
  | { readonly status: 'delivered' | 'failed' }
  | {
      readonly status: 'pending';
      readonly dueAt: number;
      /** Other bytes to send from now on, where the retry is not to have those of the first attempt. */
      readonly body?: Bytes;
    };
