import type { CheckpointStore } from './checkpoint.js';
import { IndexRanges } from './index-ranges.js';
import type { BulkCounts } from './outcome.js';
import type { SavedStandings } from './saved-checkpoint.js';

/** The state of an item: closed as done or rejected, possibly carried out, or open. */
export type Standing = 'done' | 'rejected' | 'unknown' | 'open';

/** How many idempotent items end between two saves. At most that many are repeated after a crash. */
const repeatableBatch = 100;

/**
 * Tracks the state of the items of a job, and saves it if there is a store.
 *
 * An item that must not be sent twice is saved as `unknown` before its request starts, and stays so until its outcome is
 * known. So after a crash at any moment, no item that may have been sent is open. Saves never overlap. All waiting items
 * share the next save, so that many claims cost one.
 */
export class Ledger {
  readonly #store: CheckpointStore | undefined;
  readonly #operation: string;
  readonly #repeatable: boolean;
  readonly #closed: { readonly [Status in keyof SavedStandings]: IndexRanges };
  /** Items that are unknown only because their request is about to start. */
  readonly #claimed = new Set<number>();
  readonly #saveFailed: (error: unknown) => void;
  #unsaved = 0;
  #lastSaving: Promise<void> = Promise.resolve();
  #nextSaving: Promise<void> | undefined;

  /** @param saveFailed Called for each failed save, before the items that wait for it continue. */
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

  /** The counts of the whole job by state. */
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

  /** Resolves once the item's request may start. It also resolves if the save failed: check whether the run stopped. */
  async claim(index: number): Promise<void> {
    if (this.#repeatable || this.#store === undefined) return;
    if (this.standing(index) !== 'unknown') this.#claimed.add(index);
    this.#settle(index, 'unknown');
    await this.save();
  }

  /** Records the new state of an item. It is saved soon; the caller need not wait. */
  settle(index: number, standing: Standing): void {
    this.#claimed.delete(index);
    this.#settle(index, standing);
    this.#unsaved += 1;
    if (!this.#repeatable || this.#unsaved >= repeatableBatch) void this.save();
  }

  /** Closes an open item as rejected. An item that may have been carried out before stays unknown. */
  reject(index: number): void {
    if (this.standing(index) === 'open') this.settle(index, 'rejected');
  }

  /** Resolves when a save that started after this call has succeeded or failed. */
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
    this.#nextSaving = undefined; // later changes belong to the save after this one
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
