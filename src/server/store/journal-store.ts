import type { JournalEntry } from '../model/journal-entry.js';

/** An entry and its number. The first entry of a workspace has the number 1, and no number is missing. */
export type NumberedJournalEntry = readonly [number: number, entry: JournalEntry];

/** The position of the journal, and some of its entries. */
export interface JournalPage {
  /** Oldest first. */
  readonly entries: readonly NumberedJournalEntry[];
  /** The number of the latest entry. 0 before the first. */
  readonly latest: number;
  /** The number of the latest entry that was dropped or removed. 0 if there is none. */
  readonly latestGone: number;
  /** How often all entries were removed. */
  readonly clears: number;
}

/** Entries that are added together. */
export interface JournalBatch {
  /** Greater than the number of the previous batch. A repeated batch keeps its number. */
  readonly number: number;
  readonly entries: readonly JournalEntry[];
}

/** The journal of a workspace, in the order of its numbers for every replica. */
export interface JournalStore {
  /**
   * Adds the entries in their order. Resolves when every replica can read them. Does nothing if the workspace was deleted, or
   * if this batch was already added, because a caller whose response was lost repeats it.
   */
  append(batch: JournalBatch): Promise<void>;
  /** Returns the first entries after this number, up to `limit`. Returns fewer, and at least one, if they are large. */
  readAfter(number: number, limit: number): Promise<JournalPage>;
  /** Removes every entry. The numbers continue. */
  clear(): Promise<void>;
}
