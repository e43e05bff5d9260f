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

  record(entry: JournalEntry): void {
    this.#recorded += 1;
    this.#entries.set(this.#recorded, entry);
    this.#bytes += sizeOf(entry);
    this.#forgetOldest();
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

  /** Tells of every entry from now on; returns what ends it. */
  watch(watcher: (entry: JournalEntry) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  #forgetOldest(): void {
    while (this.#entries.size > entriesKept || (this.#bytes > bytesKept && this.#entries.size > 1)) {
      const [number, entry] = this.#oldestFirst.next().value ?? [];
      if (number === undefined || entry === undefined) return;
      this.#entries.delete(number);
      this.#bytes -= sizeOf(entry);
    }
  }
}

function sizeOf(entry: JournalEntry): number {
  if (entry.type === 'request') return (entry.body?.byteLength ?? 0) + (entry.answer?.length ?? 0);
  return entry.type === 'attempt' ? entry.delivery.body.byteLength : 0;
}
