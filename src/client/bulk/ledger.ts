import type { CheckpointStore } from './checkpoint.js';
import { IndexRanges } from './index-ranges.js';
import type { BulkCounts } from './outcome.js';
import type { SavedStandings } from './saved-checkpoint.js';

/** How an item stands: closed as done or rejected, possibly carried out, or still to be done. */
export type Standing = 'done' | 'rejected' | 'unknown' | 'open';

/** How many repeatable items end between two savings: so many are done again after a kill. */
const repeatableBatch = 100;

/**
 * Keeps how the items of a job stand, and saves it where there is a store.
 *
 * What must not be sent twice is written down as `unknown` before its request goes out, and stays so until its end
 * is known: wherever the process dies, no item is open that may have been sent. Savings never overlap, and all that
 * wait share the next one, so that many claims cost one.
 */
export class Ledger {
  readonly #store: CheckpointStore | undefined;
  readonly #operation: string;
  readonly #repeatable: boolean;
  readonly #closed: { readonly [Status in keyof SavedStandings]: IndexRanges };
  /** Items that stand as unknown only because their request is about to go out. */
  readonly #claimed = new Set<number>();
  readonly #saveFailed: (error: unknown) => void;
  #unsaved = 0;
  #lastSaving: Promise<void> = Promise.resolve();
  #nextSaving: Promise<void> | undefined;

  /** @param saveFailed Called for each saving that failed, before whoever waits for it goes on. */
  constructor(
    store: CheckpointStore | undefined,
    operation: { readonly name: string; readonly repeatable: boolean },
    saved: SavedStandings | undefined,
    saveFailed: (error: unknown) => void,
  ) {
    this.#store = store;
    this.#operation = operation.name;
    this.#repeatable = operation.repeatable;
    this.#closed = {
      done: new IndexRanges(saved?.done),
      rejected: new IndexRanges(saved?.rejected),
      unknown: new IndexRanges(saved?.unknown),
    };
    this.#saveFailed = saveFailed;
  }

  /** How many items of the whole job stand how. */
  get counts(): BulkCounts {
    const { done, rejected, unknown } = this.#closed;
    return { done: done.size, rejected: rejected.size, unknown: unknown.size - this.#claimed.size };
  }

  standing(index: number): Standing {
    const { done, rejected, unknown } = this.#closed;
    if (done.has(index)) return 'done';
    if (rejected.has(index)) return 'rejected';
    return unknown.has(index) ? 'unknown' : 'open';
  }

  /** Resolves once the item's request may go out. It also resolves when the saving failed: look at the run. */
  async claim(index: number): Promise<void> {
    if (this.#repeatable || this.#store === undefined) return;
    if (this.standing(index) !== 'unknown') this.#claimed.add(index);
    this.#settle(index, 'unknown');
    await this.save();
  }

  /** Records how an item stands from now on. It is saved soon; nobody needs to wait for it. */
  settle(index: number, standing: Standing): void {
    this.#claimed.delete(index);
    this.#settle(index, standing);
    this.#unsaved += 1;
    if (!this.#repeatable || this.#unsaved >= repeatableBatch) void this.save();
  }

  /** Closes an open item as refused for what it is. One that may have been carried out before stays unknown. */
  reject(index: number): void {
    if (this.standing(index) === 'open') this.settle(index, 'rejected');
  }

  /** Resolves when a saving that began after this call has ended, well or badly. */
  save(): Promise<void> {
    this.#nextSaving ??= this.#lastSaving.then(() => this.#saveNow());
    this.#lastSaving = this.#nextSaving;
    return this.#nextSaving;
  }

  #settle(index: number, standing: Standing): void {
    for (const ranges of Object.values(this.#closed)) ranges.delete(index);
    if (standing !== 'open') this.#closed[standing].add(index);
  }

  async #saveNow(): Promise<void> {
    this.#nextSaving = undefined; // what is recorded from here on is for the saving after this one
    this.#unsaved = 0;
    const { done, rejected, unknown } = this.#closed;
    try {
      await this.#store?.save({
        version: 2,
        operation: this.#operation,
        done: done.toArray(),
        rejected: rejected.toArray(),
        unknown: unknown.toArray(),
      });
    } catch (error) {
      this.#saveFailed(error);
    }
  }
}
