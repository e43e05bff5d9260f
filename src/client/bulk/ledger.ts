import type { CheckpointStore } from './checkpoint.js';
import type { BulkCounts } from './outcome.js';
import { checkpointOf, type Standing, Standings } from './standings.js';

/** How many idempotent items end between two saves. At most that many are repeated after a crash. */
const repeatableBatch = 100;

/** Once this many ranges more than the whole checkpoint has were appended, the whole replaces them. */
const appendedAtMost = 10_000;

/**
 * Tracks the state of the items of a job, and saves it if there is a store.
 *
 * An item that must not be sent twice is saved as `unknown` before its request starts, and stays so until its outcome is
 * known. So after a crash at any moment, no item that may have been sent is open. Saves never overlap. All waiting items
 * share the next save, so that many claims cost one.
 */
export class Ledger {
  readonly #store: CheckpointStore | undefined;
  readonly #operation: { readonly name: string; readonly repeatable: boolean };
  readonly #standings: Standings;
  readonly #saveFailed: (error: unknown) => void;
  /** Items that are unknown only because their request is about to start. */
  readonly #claimed = new Set<number>();
  /** The changes that no save has taken up. */
  #changes = new Standings();
  #unsaved = 0;
  /** How many ranges were appended since the whole was saved. The first save of a run saves the whole. */
  #appended = Number.POSITIVE_INFINITY;
  #lastSaving: Promise<void> = Promise.resolve();
  #nextSaving: Promise<void> | undefined;

  /** @param saveFailed Called for each failed save, before the items that wait for it continue. */
  constructor(
    store: CheckpointStore | undefined,
    operation: { readonly name: string; readonly repeatable: boolean },
    standings: Standings,
    saveFailed: (error: unknown) => void,
  ) {
    this.#store = store;
    this.#operation = operation;
    this.#standings = standings;
    this.#saveFailed = saveFailed;
  }

  /** The counts of the whole job by state. */
  get counts(): BulkCounts {
    const { done, rejected, unknown } = this.#standings.counts;
    return { done, rejected, unknown: unknown - this.#claimed.size };
  }

  standing(index: number): Standing {
    return this.#standings.of(index) ?? 'open';
  }

  /** Resolves once the item's request may start. It also resolves if the save failed: check whether the run stopped. */
  async claim(index: number): Promise<void> {
    if (this.#operation.repeatable || this.#store === undefined) return;
    if (this.standing(index) !== 'unknown') this.#claimed.add(index);
    this.#set(index, 'unknown');
    await this.save();
  }

  /** Records the new state of an item. It is saved soon; the caller need not wait. */
  settle(index: number, standing: Standing): void {
    this.#claimed.delete(index);
    this.#set(index, standing);
    this.#unsaved += 1;
    if (!this.#operation.repeatable || this.#unsaved >= repeatableBatch) void this.save();
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

  /** Saves the whole checkpoint once no save is under way, so that nothing of it is spread over changes. */
  async saveWhole(): Promise<void> {
    await this.#lastSaving;
    this.#appended = Number.POSITIVE_INFINITY;
    await this.save();
  }

  #set(index: number, standing: Standing): void {
    this.#standings.set([index, index], standing);
    this.#changes.set([index, index], standing);
  }

  async #saveNow(): Promise<void> {
    this.#nextSaving = undefined; // later changes belong to the save after this one
    this.#unsaved = 0;
    const changes = this.#changes;
    this.#changes = new Standings();
    const isWhole =
      this.#store?.append === undefined || this.#appended > this.#standings.size + appendedAtMost;
    try {
      if (isWhole) await this.#store?.save(checkpointOf(this.#operation.name, this.#standings));
      else if (changes.size > 0) await this.#store?.append?.(changes.lists());
      this.#appended = isWhole ? 0 : this.#appended + changes.size;
    } catch (error) {
      this.#appended = Number.POSITIVE_INFINITY; // a change was lost, so the next save must save the whole
      this.#saveFailed(error);
    }
  }
}
