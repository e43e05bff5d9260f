import type { JournalEntry } from '../../model/journal-entry.js';
import type { JournalBatch, JournalStore } from '../../store/journal-store.js';
import type { History } from '../history.js';

/** How many entries one step writes or reads. */
const entriesAtOnce = 1_000;

/** How many entries wait for a store that is out of reach. More are lost. */
const entriesWaiting = 10_000;

/** Writes the entries of this process to the journal that all replicas share, and reads it into a history. */
export class SharedJournal {
  readonly #store: JournalStore;
  readonly #history: History;
  readonly #onFailure: (error: unknown) => void;
  readonly #unwritten: JournalEntry[] = [];
  /** The batch that is not known to be written. It stays as it is: the store tells by its number whether it has it. */
  #batch: JournalBatch = { number: 0, entries: [] };
  #writing: Promise<void> | undefined;
  #reading: Promise<void> | undefined;
  /** Whether to read once more after the current read, which may have begun too early. */
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

  /** Writes what waits to be written. */
  write(): void {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Resolves when the entries so far are written, or the store has refused them. */
  async written(): Promise<void> {
    await this.#writing;
  }

  async clear(): Promise<void> {
    await this.written();
    await this.#store.clear();
    await this.catchUp();
  }

  /** Reads what is new into the history. */
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

  /** The same in the background, if anybody watches the history. */
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
