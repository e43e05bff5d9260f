import type { SegmentRecord, TemplateRecord, WorkspaceState } from '../../model/records.js';
import { Claims, type Lease, type NewToken } from './claims.js';
import { MemoryContacts } from './memory-contacts.js';
import { MemoryEvents } from './memory-events.js';
import { MemoryJourneys } from './memory-journeys.js';
import { MemoryOutbox } from './memory-outbox.js';
import { MemorySends } from './memory-sends.js';
import { MemorySubscriptions } from './memory-subscriptions.js';
import type { NumberedRecordsOptions } from './numbered-records.js';
import { RecordsById } from './records-by-id.js';
import { Retention } from './retention.js';

/** How many sends, processed events, finished deliveries and ended journey runs are kept, of each kind. */
const kept = 10_000;

export interface AggregatesOptions extends NumberedRecordsOptions {
  readonly lease: Lease;
  readonly newToken: NewToken;
}

/** The content of a workspace in memory, by aggregate. Replacing the state replaces this object. */
export class MemoryAggregates {
  readonly templates: RecordsById<TemplateRecord>;
  readonly contacts: MemoryContacts;
  readonly sends: MemorySends;
  readonly events: MemoryEvents;
  readonly segments: RecordsById<SegmentRecord>;
  readonly journeys: MemoryJourneys;
  readonly subscriptions: MemorySubscriptions;
  readonly outbox: MemoryOutbox;

  constructor(state: WorkspaceState, options: AggregatesOptions) {
    const claims = () => new Claims(options.lease, options.newToken);
    const retention = () => new Retention(kept);
    const { workspace } = state;
    this.templates = new RecordsById(workspace.templates, options.changed);
    this.contacts = new MemoryContacts(state.contacts, options);
    this.sends = new MemorySends(workspace, state.sends, claims(), retention(), options);
    this.events = new MemoryEvents(state.events, state.waitingEventIds, claims(), retention(), options);
    this.segments = new RecordsById(workspace.segments, options.changed);
    this.journeys = new MemoryJourneys(workspace.journeys, state.journeyRuns, claims(), retention(), options);
    this.subscriptions = new MemorySubscriptions(state.subscriptions, options.changed);
    this.outbox = new MemoryOutbox(state.deliveries, this.subscriptions, claims(), retention(), options);
  }
}
