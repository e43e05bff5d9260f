import type { SharedRules } from '../../faults/workspace-faults.js';
import type { JournalEntry } from '../../model/journal-entry.js';
import type { ChangedPart } from '../../store/shared-store.js';
import type { SharedTime } from '../../time/clock.js';
import type { Beginning } from '../beginning.js';

/** What a workspace shares with other processes, beside its records. */
export interface Sharing {
  readonly time: SharedTime;
  readonly rules: SharedRules;
  /** Records an entry in the journal. */
  record(entry: JournalEntry): void;
  /** Removes every entry of the journal. */
  clearJournal(): Promise<void>;
  /** Starts work at a time of the workspace. Does nothing if the store tells of work that becomes due. */
  startAt(time: number, start: () => void): void;
  /** Starts what waits in the records, after they were replaced. */
  resume(byTimers: () => Promise<void>): Promise<void>;
  /** Resolves when this process knows what every process has done. Undefined if it does already. */
  current(): Promise<void> | undefined;
  /** The same, for the conditions alone and up to a revision. */
  conditionsOf(revision: number): Promise<void>;
  /** Resolves when every process can see what this one has done. */
  written(): Promise<void>;
  /** Whether no other process has work under way, and no due work waits. */
  isIdle(): Promise<boolean>;
  /** What a reset restores, if this process does not know it. */
  readBeginning(): Promise<Beginning | undefined>;
  /** Takes over what another process has changed. */
  notice(changed: ChangedPart): void;
  /** Takes over what happened while the store was out of reach. */
  returned(): void;
}
