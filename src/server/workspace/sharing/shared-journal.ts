import type { JournalEntry } from '../../model/journal-entry.js';
import type { JournalBatch, JournalStore } from '../../store/journal-store.js';
import type { History } from '../history.js';

/** How many entries one step writes or reads. */
const entriesAtOnce = 1_000;

/** How many entries wait for an unreachable store. Further entries are lost. */
const entriesWaiting = 10_000;

/** Writes the entries of this process to the journal that all replicas share, and reads it into a history. */
export class SharedJournal {
  readonly #store: JournalStore;
  readonly #history: History;
  readonly #onFailure: (error: unknown) => void;
  readonly #unwritten: JournalEntry[] = [];
  /** The batch that may not be written yet. It stays unchanged, because the store recognizes a repeated batch by its number. */
  #batch: JournalBatch = { number: 0, entries: [] };
  #writing: Promise<void> | undefined;
  #reading: Promise<void> | undefined;
  /** Whether to read again after the current read, which may have begun too early. */
  #isBehind = false;

  constructor(store: JournalStore, history: History, onFailure: (error: unknown) => void) {
    this.#store = store;
    this.#history = history;
    this.#onFailure = onFailure;
  }

  record(entry: JournalEntry): void {
    this.#unwritten.push(entry);
    if (this.#unwritten.length > entriesWaiting) this.#unwritten.shift();
    this.write();
  }

  /** Writes the waiting entries. */
  write(): void {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Resolves when the entries so far are written, or the store has rejected them. */
  async written(): Promise<void> {
    await this.#writing;
  }

  async clear(): Promise<void> {
    await this.written();
    await this.#store.clear();
    await this.catchUp();
  }

  /** Reads new entries into the history. */
  async catchUp(): Promise<void> {
    if (this.#reading !== undefined) {
      this.#isBehind = true;
      return this.#reading;
    }
    this.#reading = this.#read();
    try {
      await this.#reading;
    } finally {
      this.#reading = undefined;
    }
  }

  /** Reads new entries in the background, if any function watches the history. */
  follow(): void {
    if (this.#history.isWatched) this.catchUp().catch(this.#onFailure);
  }

  async #writeAll(): Promise<void> {
    for (;;) {
      if (this.#batch.entries.length === 0) {
        const entries = this.#unwritten.splice(0, entriesAtOnce);
        if (entries.length === 0) return;
        this.#batch = { number: this.#batch.number + 1, entries };
      }
      try {
        await this.#store.append(this.#batch);
      } catch (error) {
        this.#onFailure(error);
        return;
      }
      this.#batch = { ...this.#batch, entries: [] };
    }
  }

  async #read(): Promise<void> {
    do {
      this.#isBehind = false;
      const page = await this.#store.readAfter(this.#history.latest, entriesAtOnce);
      this.#history.takeOver(page);
      if (page.latest > this.#history.latest) this.#isBehind = true;
    } while (this.#isBehind);
  }
}
