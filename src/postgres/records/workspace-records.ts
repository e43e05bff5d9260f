import type {
  EventRecord,
  JourneyRunRecord,
  SegmentRecord,
  TemplateRecord,
  WorkspaceState,
} from '../../server/model/records.js';
import type {
  Claim,
  ForgottenRecords,
  IncomingMessage,
  ReceivedMessage,
  WorkspaceStore,
} from '../../server/store/store.js';
import { optionalNumberIn, writtenIn } from '../database/rows.js';
import { toText } from '../database/text.js';
import type { ContactBatches } from './contact-batches.js';
import { Contacts } from './contacts.js';
import { Definitions } from './definitions.js';
import type { DeliveryBatch } from './delivery-batch.js';
import { type EventBatch, Events } from './events.js';
import { Journeys } from './journeys.js';
import type { MessageBatch } from './messages.js';
import { Outbox } from './outbox.js';
import { missingWorkspace, type WorkspaceContext } from './replica-context.js';
import type { SendBatches } from './send-batches.js';
import { Sends } from './sends.js';
import { insertState, readState } from './state.js';
import { Subscriptions } from './subscriptions.js';

/** The batches that combine the calls of all workspaces. */
export interface ReplicaBatches {
  readonly contacts: ContactBatches;
  readonly sends: SendBatches;
  readonly events: EventBatch;
  readonly deliveries: DeliveryBatch;
  readonly messages: MessageBatch;
}

/** One workspace in the database. */
export class WorkspaceRecords implements WorkspaceStore {
  readonly id: string;
  readonly templates: Definitions<TemplateRecord>;
  readonly contacts: Contacts;
  readonly sends: Sends;
  readonly events: Events;
  readonly segments: Definitions<SegmentRecord>;
  readonly journeys: Journeys;
  readonly subscriptions: Subscriptions;
  readonly outbox: Outbox;
  protected readonly context: WorkspaceContext;
  readonly #messages: MessageBatch;

  constructor(context: WorkspaceContext, batches: ReplicaBatches, workspaceId: string) {
    this.id = workspaceId;
    this.context = context;
    this.templates = new Definitions<TemplateRecord>(context, workspaceId, 'template');
    this.contacts = new Contacts(context, workspaceId, batches.contacts);
    this.sends = new Sends(context, workspaceId, batches.sends);
    this.events = new Events(context, workspaceId, batches.events);
    this.segments = new Definitions<SegmentRecord>(context, workspaceId, 'segment');
    this.journeys = new Journeys(context, workspaceId, 'journey');
    this.subscriptions = new Subscriptions(context, workspaceId, undefined);
    this.outbox = new Outbox(context, workspaceId, batches.deliveries);
    this.#messages = batches.messages;
  }

  async deleteContact(contactId: string): Promise<boolean> {
    // The foreign keys delete the contact's events and runs too.
    const rows = await this.context.database.query(
      `delete from :schema.contacts c using :schema.workspaces w
       where w.id = $1 and c.workspace = w.number and c.id = $2
       returning c.id`,
      [toText(this.id), toText(contactId)],
      'delete_contact',
    );
    return rows.length > 0;
  }

  recordEvent(event: EventRecord): Promise<boolean> {
    return this.events.record(event);
  }

  completeEvent(claim: Claim, runs: readonly JourneyRunRecord[]): Promise<boolean> {
    return this.events.complete(claim, runs);
  }

  deleteSubscription(subscriptionId: string): Promise<boolean> {
    return this.subscriptions.delete(subscriptionId);
  }

  receiveMessage(message: IncomingMessage): Promise<ReceivedMessage> {
    return this.#messages.receive(this.id, message);
  }

  async countForgotten(): Promise<ForgottenRecords> {
    const [row] = await this.context.database.query(
      `select sum(f.sends) as sends, sum(f.events) as events, sum(f.deliveries) as deliveries, sum(f.journey_runs) as journey_runs
       from :schema.workspaces w join :schema.forgotten f on f.workspace = w.number
       where w.id = $1`,
      [toText(this.id)],
    );
    return {
      sends: optionalNumberIn(row, 'sends') ?? 0,
      events: optionalNumberIn(row, 'events') ?? 0,
      deliveries: optionalNumberIn(row, 'deliveries') ?? 0,
      journeyRuns: optionalNumberIn(row, 'journey_runs') ?? 0,
    };
  }

  readState(): Promise<WorkspaceState> {
    return readState(this.context, this.id);
  }

  async replaceState(state: WorkspaceState): Promise<void> {
    await this.context.database.transaction(async (transaction) => {
      // The lock prevents new records, because adding one locks its workspace too.
      const [row] = await transaction.query(
        'select w.number::text from :schema.workspaces w where w.id = $1 for update',
        [toText(this.id)],
      );
      if (row === undefined) throw missingWorkspace();
      const number = writtenIn(row, 'number');
      for (const table of tables) {
        await transaction.query(`delete from :schema.${table} where workspace = $1`, [number]);
      }
      await insertState(transaction, number, state);
    });
  }
}

/** In the order in which other transactions lock rows, to avoid deadlocks. */
const tables = [
  'subscriptions',
  'contacts',
  'events',
  'journey_runs',
  'deliveries',
  'sends',
  'definitions',
  'quotas',
  'forgotten',
];
