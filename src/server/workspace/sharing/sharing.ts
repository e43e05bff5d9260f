import { type SharedRules, unsharedRules } from '../../faults/workspace-faults.js';
import type { JournalEntry } from '../../model/journal-entry.js';
import type { ChangedPart, FoundWorkspace } from '../../store/shared-store.js';
import { type SharedTime, type SteerableClock, unsharedTime } from '../../time/clock.js';
import type { History } from '../history.js';

/** How a workspace shares its clock, settings and journal with other processes. */
export interface Sharing {
  readonly time: SharedTime;
  readonly rules: SharedRules;
  /** Records an entry in the journal. */
  record(entry: JournalEntry): void;
  /** Removes every entry of the journal. */
  clearJournal(): Promise<void>;
  /** Starts work at a time of the workspace. Does nothing if the store itself reports work that becomes due. */
  startAt(time: number, start: () => void): void;
  /** Starts the waiting work after the records were replaced. */
  resume(byTimers: () => Promise<void>): Promise<void>;
  /** Resolves when this process has seen the changes of all processes. Undefined if it already has. */
  current(): Promise<void> | undefined;
  /** Resolves when this process has seen the latest shared settings. Undefined if it already has. */
  sharedSettings(): Promise<void> | undefined;
  /** Resolves when this process has seen the shared settings with which the store found the workspace of a key. */
  sharedSettingsOf(found: FoundWorkspace): Promise<void>;
  /** Resolves when every process has the latest change of the settings by this one. Rejects if that change failed. */
  changed(): Promise<void>;
  /** Keeps the error of the latest change, if it fails, for `throwFailure`: its caller cannot await it. */
  keepFailure(): void;
  /** @throws The first kept error. */
  throwFailure(): void;
  /** Resolves when every process can read the entries that this one has recorded so far. */
  written(): Promise<void>;
  /** Whether no other process has running work, and no due work waits. */
  isIdle(): Promise<boolean>;
  /** Applies the changes of another process. */
  notice(changed: ChangedPart): void;
  /** Applies what changed while the store was unreachable. */
  returned(): void;
}

/** A workspace that no other process shares. */
export function unshared(history: History, clock: () => SteerableClock): Sharing {
  const nothing = async () => {};
  return {
    time: unsharedTime,
    rules: unsharedRules,
    record: (entry) => history.record(entry),
    clearJournal: async () => history.clear(),
    startAt: (time, start) => void clock().setTimer(start, Math.max(0, time - clock().now())),
    resume: (byTimers) => byTimers(),
    current: () => undefined,
    sharedSettings: () => undefined,
    sharedSettingsOf: nothing,
    changed: nothing,
    keepFailure: () => {},
    throwFailure: () => {},
    written: nothing,
    isIdle: async () => true,
    notice: () => {},
    returned: () => {},
  };
}
