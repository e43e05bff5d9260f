import type { JournalEntry } from '../model/journal-entry.js';

/** How many entries are kept, and how many bytes of bodies: the oldest entries make room for new ones. */
const entriesKept = 10_000;
const bytesKept = 64 * 1024 * 1024;

/** What happened in a workspace, and whoever waits for it to happen. */
export class History {
  /** By number, oldest first; the first of all was number 1. */
  readonly #entries = new Map<number, JournalEntry>();
  /** A walk from the beginning would pass over all that was taken out since the map was last packed. */
  readonly #oldestFirst = this.#entries.entries();
  readonly #watchers = new Set<(entry: JournalEntry) => void>();
  #recorded = 0;
  #bytes = 0;
  #forgotten = 0;

  record(entry: JournalEntry): void {
    this.#recorded += 1;
    this.#entries.set(this.#recorded, entry);
    this.#bytes += sizeOf(entry);
    this.#makeRoom();
    for (const watcher of this.#watchers) watcher(entry);
  }

  /** The entries that are kept, oldest first. */
  entries(): readonly JournalEntry[] {
    return [...this.#entries.values()];
  }

  /** The entries after the one with a number, oldest first, each with its own number. */
  entriesAfter(number: number): readonly (readonly [number: number, entry: JournalEntry])[] {
    return [...this.#entries].filter(([each]) => each > number);
  }

  /** The entry with this number, if it is kept. */
  entry(number: number): JournalEntry | undefined {
    return this.#entries.get(number);
  }

  /** The number of the latest entry. 0 before the first. */
  get latest(): number {
    return this.#recorded;
  }

  /** The number of the latest entry that is not kept any more. 0 where all are. */
  get latestGone(): number {
    return this.#recorded - this.#entries.size;
  }

  /** How many of the oldest made room. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Forgets every entry. The numbers go on. */
  clear(): void {
    while (this.#takeOldest());
    this.#forgotten = 0;
  }

  /** Tells of every entry from now on; returns what ends it. */
  watch(watcher: (entry: JournalEntry) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  #makeRoom(): void {
    while (this.#entries.size > entriesKept || (this.#bytes > bytesKept && this.#entries.size > 1)) {
      this.#takeOldest();
      this.#forgotten += 1;
    }
  }

  /** False where there is none. */
  #takeOldest(): boolean {
    // A walk that has come to its end is over, whatever is added later.
    if (this.#entries.size === 0) return false;
    const [number, entry] = this.#oldestFirst.next().value ?? [];
    if (number === undefined || entry === undefined) return false;
    this.#entries.delete(number);
    this.#bytes -= sizeOf(entry);
    return true;
  }
}

function sizeOf(entry: JournalEntry): number {
  if (entry.type === 'request') return (entry.body?.byteLength ?? 0) + (entry.answer?.length ?? 0);
  return entry.type === 'attempt' ? entry.delivery.body.byteLength : 0;
}
