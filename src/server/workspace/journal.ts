import type { JournalEntry } from '../model/journal-entry.js';
import { History } from './history.js';

/** The journal of a workspace. */
export interface WorkspaceJournal {
  /** The entries that this process has. */
  readonly history: History;
  record(entry: JournalEntry): void;
  /** Resolves when every process can read the entries that this one has recorded so far. Undefined if all can. */
  written(): Promise<void> | undefined;
  /** Resolves when `history` has the entries of all processes. Undefined if it has. */
  current(): Promise<void> | undefined;
  /** Removes every entry. */
  clear(): Promise<void>;
  /** No longer waits for a store that is unreachable. */
  stop(): void;
}

/** The journal of a workspace in this process. */
export class OwnJournal implements WorkspaceJournal {
  readonly history = new History();

  record(entry: JournalEntry): void {
    this.history.record(entry);
  }

  written(): undefined {}

  current(): undefined {}

  async clear(): Promise<void> {
    this.history.clear();
  }

  stop(): void {}
}
