import type { JournalEntry } from '../model/journal-entry.js';
import type { JournalPage } from '../store/shared-store.js';

/** The limits of the journal: entries, and bytes of their bodies. New entries replace the oldest. */
const entriesKept = 10_000;
const bytesKept = 64 * 1024 * 1024;

/** The journal of a workspace, and the functions that watch it. */
export class History {
  /** By number, oldest first. The first entry has number 1. */
  readonly #entries = new Map<number, JournalEntry>();
  /** One iterator for all removals: a new one would skip the deleted entries of the map each time. */
  readonly #oldestFirst = this.#entries.entries();
  readonly #watchers = new Set<(entry: JournalEntry) => void>();
  #recorded = 0;
  #bytes = 0;
  /** The number of the latest entry when all entries were removed. */
  #clearedAt = 0;
  /** How often the shared journal was cleared, or this one. */
  #clears = 0;
  #restarts = 0;

  record(entry: JournalEntry): void {
    this.#recorded += 1;
    this.#entries.set(this.#recorded, entry);
    this.#bytes += sizeOf(entry);
    this.#makeRoom();
    for (const watcher of this.#watchers) watcher(entry);
  }

  /** All entries, oldest first. */
  entries(): readonly JournalEntry[] {
    return [...this.#entries.values()];
  }

  /** The entries after the one with this number, oldest first, each with its number. */
  entriesAfter(number: number): readonly (readonly [number: number, entry: JournalEntry])[] {
    return [...this.#entries].filter(([each]) => each > number);
  }

  /** The entry with this number. Undefined if it was dropped. */
  entry(number: number): JournalEntry | undefined {
    return this.#entries.get(number);
  }

  /** The number of the latest entry. 0 before the first. */
  get latest(): number {
    return this.#recorded;
  }

  /** The number of the latest dropped entry. 0 if none was dropped. */
  get latestGone(): number {
    return this.#recorded - this.#entries.size;
  }

  /** How many entries were dropped to make room. */
  get forgotten(): number {
    return this.latestGone - this.#clearedAt;
  }

  /** How often all entries were removed. */
  get clears(): number {
    return this.#clears + this.#restarts;
  }

  /** Removes every entry. The numbers continue. */
  clear(): void {
    while (this.#takeOldest());
    this.#clearedAt = this.#recorded;
    this.#clears += 1;
  }

  /** Removes every entry, to take over a journal whose numbers went back. */
  restart(): void {
    while (this.#takeOldest());
    this.#recorded = 0;
    this.#clearedAt = 0;
    // A store that went back to a backup also counts its clears again.
    this.#restarts += 1 + this.#clears;
    this.#clears = 0;
  }

  /** Whether any function watches the journal. */
  get isWatched(): boolean {
    return this.#watchers.size > 0;
  }

  /** Continues the journal of an earlier process, which has dropped that many entries. */
  resume(forgotten: number, entries: readonly JournalEntry[]): void {
    this.#recorded = forgotten;
    for (const entry of entries) this.record(entry);
  }

  /** Adds a page of a journal from a shared store, after the latest entry. */
  takeOver({ entries, latestGone, clears }: JournalPage): void {
    if (clears > this.#clears) {
      this.clear();
      this.#clears = clears;
      this.#recorded = Math.max(this.#recorded, latestGone);
      this.#clearedAt = this.#recorded;
    }
    if (latestGone > this.#recorded) {
      while (this.#takeOldest());
      this.#recorded = latestGone;
    }
    for (const [number, entry] of entries) if (number === this.#recorded + 1) this.record(entry);
  }

  /** Calls `watcher` with every entry from now on. Returns a function that stops the calls. */
  watch(watcher: (entry: JournalEntry) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  #makeRoom(): void {
    while (this.#entries.size > entriesKept || (this.#bytes > bytesKept && this.#entries.size > 1)) {
      this.#takeOldest();
    }
  }

  /** Removes the oldest entry. False if there is none. */
  #takeOldest(): boolean {
    // An iterator that has ended does not see later entries.
    if (this.#entries.size === 0) return false;
    const [number, entry] = this.#oldestFirst.next().value ?? [];
    if (number === undefined || entry === undefined) return false;
    this.#entries.delete(number);
    this.#bytes -= sizeOf(entry);
    return true;
  }
}

/** Returns the size of what an entry has of any length, in bytes. */
export function sizeOf(entry: JournalEntry): number {
  if (entry.type === 'change') return JSON.stringify(entry).length;
  if (entry.type === 'request') return (entry.body?.byteLength ?? 0) + (entry.responseBody?.length ?? 0);
  return entry.type === 'attempt' ? entry.delivery.body.byteLength : 0;
}
