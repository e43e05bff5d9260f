import type { JournalEntry } from '../../model/journal-entry.js';
import { StoreUnavailableError } from '../../model/service-error.js';
import type { JournalBatch, JournalStore } from '../../store/shared-store.js';
import { lookAgainAfter } from '../../time/machine-clock.js';
import { History } from '../history.js';
import type { WorkspaceJournal } from '../journal.js';

/** The pause before a step is repeated because the store was unreachable. In milliseconds. */
const pause = 1_000;

/** How many entries one step writes or reads. */
const entriesAtOnce = 1_000;

/** How many entries wait for an unreachable store. Further entries are lost. */
const entriesWaiting = 10_000;

/** The journal that all replicas share: writes the entries of this process to the store, and reads those of all into a history. */
export class SharedJournal implements WorkspaceJournal {
  readonly history = new History();
  readonly #store: JournalStore;
  readonly #added: Promise<void>;
  readonly #onFailure: (error: unknown) => void;
  readonly #unwritten: JournalEntry[] = [];
  /** The batch that may not be written yet. It stays unchanged, because the store recognizes a repeated batch by its number. */
  #batch: JournalBatch = { number: 0, entries: [] };
  #isWriting = false;
  /** The latest try to write a batch. It never rejects. */
  #appending: Promise<void> = Promise.resolve();
  /** How many entries this process has recorded. */
  #recorded = 0;
  /** Whether entries wait for the store to be reachable. */
  #isHeldUp = false;
  #reading: Promise<void> | undefined;
  /** Whether the store may have lost the latest entries that this process has read, and assigned their numbers again. */
  #isDoubtful = false;
  /** Whether to read again after the current read, which may have begun too early. */
  #isBehind = false;
  #isStopped = false;

  /**
   * @param added - Resolves when the store has the workspace. Before that, it may not have its present tables.
   * @param onFailure - Called with the first of several errors in a row.
   */
  constructor(store: JournalStore, added: Promise<void>, onFailure: (error: unknown) => void) {
    this.#store = store;
    this.#added = added;
    this.#onFailure = onFailure;
  }

  record(entry: JournalEntry): void {
    this.#recorded += 1;
    this.#unwritten.push(entry);
    if (this.#unwritten.length > entriesWaiting) this.#unwritten.shift();
    this.write();
  }

  /** Writes the waiting entries. */
  write(): void {
    if (!this.#isWriting) void this.#writeAll();
  }

  /** Resolves when the entries so far are written, or wait because the store is unreachable. Later entries may still wait. */
  async written(): Promise<void> {
    const upTo = this.#recorded;
    this.write();
    while (this.#isWriting && this.#recorded - this.#waiting < upTo) await this.#appending;
  }

  async current(): Promise<void> {
    await this.#added;
    await this.written();
    await this.catchUp();
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

  stop(): void {
    this.#isStopped = true;
  }

  /** How many entries are not written yet. */
  get #waiting(): number {
    return this.#batch.entries.length + this.#unwritten.length;
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting > 0) {
      this.#appending = this.#append();
      await this.#appending;
      if (this.#isHeldUp) break;
    }
    this.#isWriting = false;
  }

  async #append(): Promise<void> {
    if (this.#batch.entries.length === 0) {
      this.#batch = { number: this.#batch.number + 1, entries: this.#unwritten.splice(0, entriesAtOnce) };
    }
    try {
      await this.#store.append(this.#batch);
    } catch (error) {
      if (!this.#isHeldUp) this.#onFailure(error);
      if (error instanceof StoreUnavailableError) return this.#writeLater();
      // The store refuses these entries, and would again. Later ones must not wait for them.
    }
    this.#isHeldUp = false;
    this.#batch = { ...this.#batch, entries: [] };
  }

  #writeLater(): void {
    this.#isHeldUp = true;
    void lookAgainAfter(pause).then(() => {
      if (!this.#isStopped) this.write();
    });
  }

  /** Writes again, because the store was unreachable. A database that crashes can lose the latest entries. */
  returned(): void {
    this.#isDoubtful = true;
    this.write();
  }

  async #read(): Promise<void> {
    do {
      this.#isBehind = false;
      if (this.#isDoubtful) await this.#compare();
      const page = await this.#store.readAfter(this.history.latest, entriesAtOnce);
      // The numbers of a store that went back to a backup. A deleted workspace has none.
      if (page.latest > 0 && page.latest < this.history.latest) {
        this.#isDoubtful = true;
        this.#isBehind = true;
        continue;
      }
      this.history.takeOver(page);
      if (page.latest > this.history.latest) this.#isBehind = true;
    } while (this.#isBehind);
  }

  /** Compares the latest entry with that of the store. If they differ, begins the history again. */
  async #compare(): Promise<void> {
    const { latest } = this.history;
    const own = this.history.entry(latest);
    const { entries, latestGone, latest: written } = await this.#store.readAfter(latest - 1, 1);
    this.#isDoubtful = false;
    if (latest <= latestGone) return;
    const [first] = entries;
    // An entry that this process has removed and the store has not: the store went back to before it was removed.
    const isSame =
      own !== undefined && written >= latest && JSON.stringify(first) === JSON.stringify([latest, own]);
    // A deleted workspace has no journal.
    if (!isSame && written > 0) this.history.restart();
  }
}
