import type { Environment } from '../model/environment.js';
import type { JournalEntry } from '../model/journal-entry.js';
import type { SpecGaps } from '../model/spec-gaps.js';
import type { AdmissionStore } from '../store/shared-store.js';
import type { WorkspaceStore } from '../store/store.js';
import type { Work } from '../time/work.js';
import type { ReceiverAddresses } from './address-policy.js';

/** The dependencies of one workspace's rules. */
export interface WorkspaceContext {
  readonly store: WorkspaceStore;
  /** Time, ids and randomness of the workspace. */
  readonly environment: Environment;
  readonly work: Work;
  /** Counts the requests, for the rate limit. */
  readonly admissions: AdmissionStore;
  /** Starts work at a time of the workspace. Does nothing if the store itself reports work that becomes due. */
  readonly startAt: (time: number, start: () => void) => void;
  /** Returns the current `specGaps` of the workspace. */
  readonly gaps: () => SpecGaps;
  /** Which URLs can receive its deliveries. */
  readonly receiverAddresses: ReceiverAddresses;
  /** Records an entry in the journal. */
  readonly record: (entry: JournalEntry) => void;
}
