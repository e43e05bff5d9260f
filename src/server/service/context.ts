import type { Environment } from '../model/environment.js';
import type { JournalEntry } from '../model/journal-entry.js';
import type { SpecGaps } from '../model/spec-gaps.js';
import type { WorkspaceStore } from '../store/store.js';
import type { Work } from '../time/work.js';
import type { ReceiverAddresses } from './address-policy.js';

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
