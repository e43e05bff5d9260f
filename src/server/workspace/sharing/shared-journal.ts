import type { JournalEntry } from '../../model/journal-entry.js';
import { StoreUnavailableError } from '../../model/service-error.js';
import type { JournalBatch, JournalStore } from '../../store/shared-store.js';
import { lookAgainAfter } from '../../time/machine-clock.js';
import type { History } from '../history.js';

/** The pause before a step is repeated because the store was unreachable. In milliseconds. */
const pause = 1_000;

export interface CatchingUpOptions {
  /** Called with the first of several errors in a row. */
  readonly onFailure: (error: unknown) => void;
  /** Whether this process no longer needs the step. */
  readonly isOver: () => boolean;
}

/**
 * Runs a step in the background after each notice. Repeats it while the store is unreachable, because no other notice may come.
 */
export class CatchingUp {
  readonly #step: () => Promise<void>;
  readonly #options: CatchingUpOptions;
  #isRunning = false;
  /** Whether to run again after the current run, which may have begun too early. */
  #isBehind = false;

  constructor(step: () => Promise<void>, options: CatchingUpOptions) {
    this.#step = step;
    this.#options = options;
  }

  start(): void {
    this.#isBehind = true;
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    const { onFailure, isOver } = this.#options;
    this.#isRunning = true;
    let isFirst = true;
    while (this.#isBehind && !isOver()) {
      this.#isBehind = false;
      try {
        await this.#step();
        isFirst = true;
      } catch (error) {
        if (isFirst) onFailure(error);
        isFirst = false;
        if (!(error instanceof StoreUnavailableError)) continue;
        this.#isBehind = true;
        await lookAgainAfter(pause);
      }
    }
    this.#isRunning = false;
  }
}

/** How many entries one step writes or reads. */
const entriesAtOnce = 1_000;

/** How many entries wait for an unreachable store. Further entries are lost. */
const entriesWaiting = 10_000;

/** Writes the entries of this process to the journal that all replicas share, and reads it into a history. */
export class SharedJournal {
  readonly #store: JournalStore;
  readonly #history: History;
  readonly #options: CatchingUpOptions;
  readonly #following: CatchingUp;
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

  constructor(store: JournalStore, history: History, options: CatchingUpOptions) {
    this.#store = store;
    this.#history = history;
    this.#options = options;
    this.#following = new CatchingUp(() => this.catchUp(), options);
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
    if (this.#history.isWatched) this.#following.start();
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
      if (!this.#isHeldUp) this.#options.onFailure(error);
      if (error instanceof StoreUnavailableError) return this.#writeLater();
      // The store refuses these entries, and would again. Later ones must not wait for them.
    }
    this.#isHeldUp = false;
    this.#batch = { ...this.#batch, entries: [] };
  }

  #writeLater(): void {
    this.#isHeldUp = true;
    void lookAgainAfter(pause).then(() => {
      if (!this.#options.isOver()) this.write();
    });
  }

  /** Writes and reads again, because the store was unreachable. A database that crashes can lose the latest entries. */
  returned(): void {
    this.#isDoubtful = true;
    this.write();
    this.follow();
  }

  async #read(): Promise<void> {
    do {
      this.#isBehind = false;
      if (this.#isDoubtful) await this.#compare();
      const page = await this.#store.readAfter(this.#history.latest, entriesAtOnce);
      this.#history.takeOver(page);
      if (page.latest > this.#history.latest) this.#isBehind = true;
    } while (this.#isBehind);
  }

  /** Compares the latest entry with that of the store. If they differ, begins the history again. */
  async #compare(): Promise<void> {
    const { latest } = this.#history;
    const own = this.#history.entry(latest);
    const { entries, latestGone, latest: written } = await this.#store.readAfter(latest - 1, 1);
    this.#isDoubtful = false;
    if (own === undefined || latest <= latestGone) return;
    const [first] = entries;
    const isSame = written >= latest && JSON.stringify(first) === JSON.stringify([latest, own]);
    // A deleted workspace has no journal.
    if (!isSame && written > 0) this.#history.restart();
  }
}
