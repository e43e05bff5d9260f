import type { EventRecord } from '../model/records.js';
import type { Claim } from './claim.js';
import type { EffectsOf } from './effects.js';

/** The tracked events of a workspace. `WorkspaceStore` records and completes them, since both concern other records. */
export interface EventStore {
  /** Claims the oldest event that is not processed and on which no lease runs. */
  claimNext(): Promise<ClaimedEvent | undefined>;
  /** Ends the claim of an event that could not be processed: it can be claimed again. Does nothing if it is not the latest. */
  release(claim: Claim): Promise<void>;
  /**
   * Of the contact's events of this name that were accepted later than `since`, how many are processed. `since` may be
   * -Infinity.
   */
  count(contactId: string, event: string, since: number): Promise<number>;
  /** All events, processed or not, in the order in which they were recorded. */
  list(): Promise<readonly EventRecord[]>;
}

export const eventEffects: EffectsOf<EventStore> = {
  claimNext: 'reads',
  release: 'reads',
  count: 'reads',
  list: 'reads',
};

export interface ClaimedEvent {
  readonly claim: Claim;
  readonly event: EventRecord;
}
