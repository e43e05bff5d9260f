import type { EventRecord } from '../model/records.js';
import type { Claim } from './claim.js';

/** The tracked events of a workspace. `WorkspaceStore` records and completes them: both concern other records too. */
export interface EventStore {
  /** Claims the oldest event that is not processed and that nobody holds. */
  claimNext(): Promise<ClaimedEvent | undefined>;
  /** How many events of this name were processed for the contact, of those accepted after `since`. */
  count(contactId: string, event: string, since: number): Promise<number>;
  /** The events of the contacts there are, oldest first. */
  list(): Promise<readonly EventRecord[]>;
}

export interface ClaimedEvent {
  readonly claim: Claim;
  readonly event: EventRecord;
}
