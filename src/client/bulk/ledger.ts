import { steadyTime } from '../../foundation/clock.js';
import { InvalidInputError } from '../errors/unanswered-errors.js';
import { type CheckpointStore, checkpointOf, readStandings, type Standing, Standings } from './checkpoint.js';
import type { BulkInputs, BulkJob } from './options.js';
import type { BulkCounts, BulkOutcome, BulkProgress } from './outcome.js';

/** How many idempotent items end between two saves. At most that many are repeated after a crash. */
const repeatableBatch = 100;

/** Once this many ranges more than the whole checkpoint has were appended, the whole replaces them. */
const appendedAtMost = 10_000;

/** How long a run waits for its store to close, in milliseconds. */
const longestClose = 30_000;

/**
 * Tracks the state of the items of a job and the progress of the run, and saves the state if there is a store.
 *
 * An item that must not be sent twice is saved as `unknown` before its request starts, and stays so until its outcome is
 * known. So after a crash at any moment, no item that may have been sent is open. Saves never overlap. All waiting items
 * share the next save, so that many claims cost one.
 */
export class Ledger {
  readonly #job: BulkJob<unknown, unknown>;
  readonly #store: CheckpointStore | undefined;
  readonly #saveFailed: (error: unknown) => void;
  readonly #total: number | undefined;
  readonly #start: number;
  readonly #outcomes = { done: 0, rejected: 0, unknown: 0, skipped: 0 };
  #standings = new Standings();
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
  constructor(job: BulkJob<unknown, unknown>, saveFailed: (error: unknown) => void) {
    this.#job = job;
    this.#store = job.options.checkpoint;
    this.#saveFailed = saveFailed;
    this.#total = job.options.total ?? sizeOf(job.inputs);
    this.#start = steadyTime(job.timing.clock);
  }

  async open(): Promise<void> {
    await this.#store?.open?.();
  }

  async load(): Promise<void> {
    const { name } = this.#job.operation;
    const stored = await this.#store?.load();
    if (stored === undefined || stored === null) return;
    const standings = readStandings(stored, name);
    if (standings === undefined) {
      const message = `holds something else than a checkpoint of ${name}; give each job a store of its own`;
      throw new InvalidInputError(`${name}Many`, [{ field: 'checkpoint', message }]);
    }
    this.#standings = standings;
  }

  /** Everything is saved, so a store that fails to close or takes too long does not matter. */
  async close(): Promise<void> {
    if (this.#store?.close === undefined) return;
    const closed = Promise.resolve(this.#store.close()).catch(() => {});
    await new Promise<void>((resolve) => {
      const cancelTimer = this.#job.timing.clock.setTimer(resolve, longestClose);
      void closed.then(cancelTimer).then(resolve);
    });
  }

  /** The counts of the whole job by state. */
  get counts(): BulkCounts {
    const { done, rejected, unknown } = this.#standings.counts;
    return { done, rejected, unknown: unknown - this.#claimed.size };
  }

  /** Counts how an item of this run ended. */
  count(status: BulkOutcome<unknown, unknown>['status'] | 'skipped'): void {
    this.#outcomes[status] += 1;
  }

  /** The progress of this run, with an estimate of the remaining time. */
  get progress(): BulkProgress {
    const { done, rejected, unknown, skipped } = this.#outcomes;
    const progress = { ...this.#outcomes, overall: this.counts };
    const total = this.#total;
    if (total === undefined) return { ...progress, percent: undefined, timeLeft: undefined };
    const processed = done + rejected + unknown;
    const left = Math.max(0, total - processed - skipped);
    const elapsed = Math.max(0, steadyTime(this.#job.timing.clock) - this.#start);
    return {
      ...progress,
      percent: left === 0 ? 100 : (100 * (total - left)) / total,
      timeLeft: processed === 0 ? undefined : (elapsed / processed) * left,
    };
  }

  standing(index: number): Standing {
    return this.#standings.of(index) ?? 'open';
  }

  /** Resolves once the item's request may start. It also resolves if the save failed: check whether the run stopped. */
  async claim(index: number): Promise<void> {
    if (this.#job.operation.repeatable || this.#store === undefined) return;
    if (this.standing(index) !== 'unknown') this.#claimed.add(index);
    this.#set(index, 'unknown');
    await this.save();
  }

  /** Records the new state of an item. It is saved soon; the caller need not wait. */
  settle(index: number, standing: Standing): void {
    this.#claimed.delete(index);
    this.#set(index, standing);
    this.#unsaved += 1;
    if (!this.#job.operation.repeatable || this.#unsaved >= repeatableBatch) void this.save();
  }

  /** Closes open items as rejected. An item that may have been carried out before stays unknown. */
  reject(indexes: readonly number[]): void {
    for (const index of indexes) if (this.standing(index) === 'open') this.settle(index, 'rejected');
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
      if (isWhole) await this.#store?.save(checkpointOf(this.#job.operation.name, this.#standings));
      else if (changes.size > 0) await this.#store?.append?.(changes.lists());
      this.#appended = isWhole ? 0 : this.#appended + changes.size;
    } catch (error) {
      this.#appended = Number.POSITIVE_INFINITY; // a change was lost, so the next save must save the whole
      this.#saveFailed(error);
    }
  }
}

/** The number of items in an array or a set; `undefined` for other inputs, whose length may mean something else. */
function sizeOf(inputs: BulkInputs<unknown>): number | undefined {
  if (Array.isArray(inputs)) return inputs.length;
  if (Object.prototype.toString.call(inputs) !== '[object Set]') return undefined;
  const size: unknown = Reflect.get(inputs, 'size');
  return typeof size === 'number' ? size : undefined;
}
