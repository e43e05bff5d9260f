import type { Fields, Page, PageRange } from '../model/page.js';
import type { EventRecord } from '../model/records.js';
import type { Claim } from './claim.js';

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
