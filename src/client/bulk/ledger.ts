import type { BulkCheckpoint, CheckpointStore } from './checkpoint.js';
import { IndexRanges } from './index-ranges.js';

/** How an item stands: finished with, begun without a known end, or still to be done. */
export type Standing = 'finished' | 'unknown' | 'open';

/** How many items that may be repeated are finished between two savings: so many are done again after a kill. */
const repeatableBatch = 100;

/**
 * Keeps the checkpoint of a run.
 *
 * What must not be sent twice is written down as `unknown` before its request goes out, and stays so until its end
 * is known: wherever the process dies, no item is open that may have been sent. Savings never overlap, and all that
 * wait share the next one, so that many claims cost one.
 */
export class Ledger {
  readonly #store: CheckpointStore;
  readonly #operation: string;
  readonly #repeatable: boolean;
  readonly #finished: IndexRanges;
  readonly #unknown: IndexRanges;
  readonly #saveFailed: (error: unknown) => void;
  #unsaved = 0;
  #lastSaving: Promise<void> = Promise.resolve();
  #nextSaving: Promise<void> | undefined;

  /** @param saveFailed Told of each saving that failed, before whoever waits for it. */
  constructor(
    store: CheckpointStore,
    operation: { readonly name: string; readonly repeatable: boolean },
    checkpoint: BulkCheckpoint | undefined,
    saveFailed: (error: unknown) => void,
  ) {
    this.#store = store;
    this.#operation = operation.name;
    this.#repeatable = operation.repeatable;
    this.#finished = new IndexRanges(checkpoint?.finished);
    this.#unknown = new IndexRanges(checkpoint?.unknown);
    this.#saveFailed = saveFailed;
  }

  standing(index: number): Standing {
    if (this.#finished.has(index)) return 'finished';
    return this.#unknown.has(index) ? 'unknown' : 'open';
  }

  /** Resolves once the item's request may go out; not at all surely when the saving fails, so look at the run. */
  async claim(index: number): Promise<void> {
    if (this.#repeatable) return;
    this.#unknown.add(index);
    await this.save();
  }

  /** Records the end of an item. It is saved in good time; nobody needs to wait for it. */
  settle(index: number, standing: Standing): void {
    if (standing === 'unknown') this.#unknown.add(index);
    else this.#unknown.delete(index);
    if (standing === 'finished') this.#finished.add(index);
    this.#unsaved += 1;
    if (!this.#repeatable || this.#unsaved >= repeatableBatch) void this.save();
  }

  /** Resolves when a saving that began after this call has ended, well or badly. */
  save(): Promise<void> {
    this.#nextSaving ??= this.#lastSaving.then(() => this.#saveNow());
    this.#lastSaving = this.#nextSaving;
    return this.#nextSaving;
  }

  async #saveNow(): Promise<void> {
    this.#nextSaving = undefined; // what is recorded from here on is for the saving after this one
    this.#unsaved = 0;
    try {
      await this.#store.save({
        version: 1,
        operation: this.#operation,
        finished: this.#finished.toArray(),
        unknown: this.#unknown.toArray(),
      });
    } catch (error) {
      this.#saveFailed(error);
    }
  }
}
