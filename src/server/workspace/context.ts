import type { Work } from '../control/work.js';
import type { ReceiverAddresses } from '../deliveries/address-policy.js';
import type { Environment } from '../environment.js';
import type { JournalEntry } from '../journal/entry.js';
import type { SpecGaps } from '../seed/spec-gaps.js';
import type { WorkspaceStore } from '../store/store.js';

/** What the rules of one workspace work with. */
export interface WorkspaceContext {
  readonly store: WorkspaceStore;
  /** Its own time among the rest. */
  readonly environment: Environment;
  readonly work: Work;
  /** What it does where the document shows nothing. */
  readonly gaps: SpecGaps;
  /** Where its deliveries may go. */
  readonly receiverAddresses: ReceiverAddresses;
  /** Notes what happened. */
  readonly record: (entry: JournalEntry) => void;
}
