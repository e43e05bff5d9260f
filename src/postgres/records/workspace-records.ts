import type {
  EventRecord,
  JourneyRunRecord,
  SegmentRecord,
  TemplateRecord,
  WorkspaceState,
} from '../../server/model/records.js';
import type { SharedWorkspaceStore } from '../../server/store/shared-store.js';
import type { Claim, ForgottenRecords, IncomingMessage, ReceivedMessage } from '../../server/store/store.js';
import { optionalNumberIn, writtenIn } from '../database/rows.js';
import { fromText, toText } from '../database/text.js';
import { Admissions } from './admissions.js';
import { PostgresContacts } from './contacts.js';
import { PostgresDefinitions } from './definitions.js';
import { deleteWorkspace } from './deletion.js';
import { PostgresEvents } from './events.js';
import { PostgresJournal } from './journal.js';
import { PostgresJourneys } from './journeys.js';
import { Messages } from './messages.js';
import { PostgresOutbox } from './outbox.js';
import { missingWorkspace } from './replica-context.js';
import { Schedule } from './schedule.js';
import { PostgresSends } from './sends.js';
import { SettingsRow } from './settings.js';
import { insertState, readState } from './state.js';
import { PostgresSubscriptions } from './subscriptions.js';
import { WorkspacePart } from './workspace-part.js';

/** One workspace in the database. */
export class WorkspaceRecords extends WorkspacePart implements SharedWorkspaceStore {
  readonly id = fromText(this.context.workspace);
  readonly templates = new PostgresDefinitions<TemplateRecord>(this.context, 'template');
  readonly contacts = new PostgresContacts(this.context);
  readonly sends = new PostgresSends(this.context);
  readonly events = new PostgresEvents(this.context);
  readonly segments = new PostgresDefinitions<SegmentRecord>(this.context, 'segment');
  readonly journeys = new PostgresJourneys(this.context, 'journey');
  readonly subscriptions = new PostgresSubscriptions(this.context);
  readonly outbox = new PostgresOutbox(this.context);
  readonly settings = new SettingsRow(this.context);
  readonly journal = new PostgresJournal(this.context);
  readonly schedule = new Schedule(this.context, this.outbox);
  readonly admissions = new Admissions(this.context);
  readonly #messages = new Messages(this.context);

  get number(): number | undefined {
    return this.context.identity.number;
  }

  delete(): Promise<void> {
    return deleteWorkspace(this.context);
  }

  async deleteContact(contactId: string): Promise<boolean> {
    // The foreign keys delete the contact's events and runs too.
    const rows = await this.context.database.query(
      `delete from :schema.contacts c using :schema.workspaces w
       where w.id = $1 and c.workspace = w.number and c.id = $2
       returning c.id`,
      [this.context.workspace, toText(contactId)],
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
    return this.#messages.receive(message);
  }

  async countForgotten(): Promise<ForgottenRecords> {
    const [row] = await this.context.database.query(
      `select sum(f.sends) as sends, sum(f.events) as events, sum(f.deliveries) as deliveries, sum(f.journey_runs) as journey_runs
       from :schema.workspaces w join :schema.forgotten f on f.workspace = w.number
       where w.id = $1`,
      [this.context.workspace],
    );
    return {
      sends: optionalNumberIn(row, 'sends') ?? 0,
      events: optionalNumberIn(row, 'events') ?? 0,
      deliveries: optionalNumberIn(row, 'deliveries') ?? 0,
      journeyRuns: optionalNumberIn(row, 'journey_runs') ?? 0,
    };
  }

  readState(): Promise<WorkspaceState> {
    return readState(this.context);
  }

  async replaceState(state: WorkspaceState): Promise<void> {
    await this.context.database.transaction(async (transaction) => {
      // The lock prevents new records, because adding one locks its workspace too.
      const [row] = await transaction.query(
        'select w.number::text from :schema.workspaces w where w.id = $1 for update',
        [this.context.workspace],
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
  'fan_outs',
  'cursors',
  'deliveries',
  'claims',
  'messages',
  'sends',
  'definitions',
  'quotas',
  'forgotten',
];
