import { atMost, type Clock, steadyTime } from '../../foundation/clock.js';
import { InvalidInputError, SendBlockedError, SendGuardError } from '../errors/no-response-errors.js';
import type { RequestError } from '../errors/request-error.js';
import {
  type CheckpointStore,
  checkpointOf,
  type ItemStatus,
  ItemStatuses,
  readItemStatuses,
} from './checkpoint.js';
import type { BulkInputs, BulkJob } from './options.js';
import type { BulkCounts, BulkOutcome, BulkProgress } from './outcome.js';

/** How many idempotent items end between two saves. At most that many are repeated after a crash. */
const repeatableBatch = 100;

/** Once this many ranges more than the whole checkpoint has were appended, the whole replaces them. */
const appendedAtMost = 10_000;

/** How long a run waits for its store to close, in milliseconds. */
const longestClose = 30_000;

/**
 * What is recorded: the state of the items of a job, the counts of the run, and the checkpoint, if there is a store.
 *
 * An item that must not be carried out twice is saved as `unknown`, or with a key as `keyed`, before its request starts, and stays
 * so until its outcome is known. So after a crash at any moment, no item that may have been carried out is open. Saves never
 * overlap. All waiting items share the next save, so that many claims cost one.
 */
export class Ledger {
  readonly #operation: BulkJob<unknown, unknown>['operation'];
  readonly #store: CheckpointStore | undefined;
  readonly #clock: Clock;
  readonly #saveFailed: (error: unknown) => void;
  /** The state of an item that may have been carried out. */
  readonly #started: 'keyed' | 'unknown';
  readonly #total: number | undefined;
  /** When the work began: a wait for the lock of the checkpoint is no part of it. */
  #start: number;
  readonly #ended = { done: 0, rejected: 0, unknown: 0, skipped: 0 };
  #statuses = new ItemStatuses();
  /** What the items were that count as started only because their request is about to start. */
  readonly #claimed = new Map<number, ItemStatus>();
  /** The changes that no save has taken up, and how many items they have settled. */
  #changes = new ItemStatuses();
  #unsaved = 0;
  /** How many ranges were appended since the whole was saved. The first save of a run saves the whole. */
  #appended = Number.POSITIVE_INFINITY;
  #lastSaving: Promise<void> = Promise.resolve();
  #nextSaving: Promise<void> | undefined;

  /** @param saveFailed Called for each failed save, before the items that wait for it continue. */
  constructor(job: BulkJob<unknown, unknown>, saveFailed: (error: unknown) => void) {
    const { checkpoint, total = sizeOf(job.inputs) } = job.options;
    this.#operation = job.operation;
    this.#store = checkpoint;
    this.#clock = job.settings.clock;
    this.#saveFailed = saveFailed;
    this.#started = job.keyOf === undefined ? 'unknown' : 'keyed';
    this.#total = total;
    this.#start = steadyTime(this.#clock);
  }

  async open(): Promise<void> {
    await this.#store?.open?.();
    this.#start = steadyTime(this.#clock);
  }

  async load(): Promise<void> {
    const { name } = this.#operation;
    const stored = await this.#store?.load();
    if (stored === undefined || stored === null) return;
    const read = readItemStatuses(stored, name);
    if (read === undefined) {
      const message = `holds something else than a checkpoint of ${name}; give each job a store of its own`;
      throw new InvalidInputError(`${name}Many`, [{ field: 'checkpoint', message }]);
    }
    this.#statuses = read;
  }

  /** Everything is saved, so a store that fails to close or takes too long does not matter. */
  async close(): Promise<void> {
    const close = async () => this.#store?.close?.();
    await atMost(
      this.#clock,
      longestClose,
      close().catch(() => {}),
      () => {},
    );
  }

  status(index: number): ItemStatus {
    return this.#statuses.of(index) ?? 'open';
  }

  /** Whether the item may have been carried out, and nobody knows. */
  isUnclear(index: number): boolean {
    return isUnclear(this.status(index));
  }

  /** Whether the next run carries the item out. */
  isOpen(index: number): boolean {
    return this.status(index) === 'open' || (this.#operation.repeatable && this.isUnclear(index));
  }

  /** Resolves once the item's request may start. It also resolves if the save failed: check whether the run stopped. */
  async claim(index: number): Promise<void> {
    if (this.#operation.repeatable || this.#store === undefined) return;
    const before = this.status(index);
    this.#claimed.set(index, before);
    this.#set(index, this.#statusOnceStarted(before));
    await this.#save();
  }

  /** Records that the request of a claimed item did not start. */
  unclaim(index: number): void {
    this.#settle(index, this.#before(index));
  }

  succeed(index: number): void {
    this.#settle(index, 'done');
  }

  /** Records what the failure of a call says of its item. */
  fail(index: number, error: RequestError): void {
    this.#settle(index, this.#statusAfter(error, this.#before(index)));
  }

  /** Closes open items as rejected. An item that may have been carried out before, and must not be twice, stays as it is. */
  reject(indexes: readonly number[]): void {
    for (const index of indexes) if (this.isOpen(index)) this.#settle(index, 'rejected');
  }

  /** Counts how an item of this run ended. */
  count(status: BulkOutcome<unknown, unknown>['status'] | 'skipped'): void {
    this.#ended[status] += 1;
  }

  /** The counts of the whole job by state. */
  counts(): BulkCounts {
    const { done, rejected, unknown, keyed } = this.#statuses.counts;
    const onlyClaimed = [...this.#claimed.values()].filter((before) => !isUnclear(before)).length;
    return { done, rejected, unknown: unknown + keyed - onlyClaimed };
  }

  /** The progress of this run, with an estimate of the remaining time. */
  progress(): BulkProgress {
    const { done, rejected, unknown, skipped } = this.#ended;
    const progress = { ...this.#ended, overall: this.counts() };
    const total = this.#total;
    if (total === undefined) return { ...progress, percent: undefined, timeLeft: undefined };
    const processed = done + rejected + unknown;
    const left = Math.max(0, total - processed - skipped);
    const elapsed = Math.max(0, steadyTime(this.#clock) - this.#start);
    return {
      ...progress,
      percent: left === 0 ? 100 : (100 * (total - left)) / total,
      timeLeft: processed === 0 ? undefined : (elapsed / processed) * left,
    };
  }

  /** Saves the whole checkpoint once no save is under way, so that nothing of it is spread over changes. */
  async saveWhole(): Promise<void> {
    await this.#lastSaving;
    this.#appended = Number.POSITIVE_INFINITY;
    await this.#save();
  }

  /** What an item was before it was claimed. */
  #before(index: number): ItemStatus {
    return this.#claimed.get(index) ?? this.status(index);
  }

  /** The state of an item after a call that failed. One that an earlier run rejected has been tried again, and is open. */
  #statusAfter(error: RequestError, before: ItemStatus): ItemStatus {
    if (error.outcome === 'unknown') return this.#statusOnceStarted(before);
    // Guards and requests come after the key is taken, so no earlier request has carried the item out.
    const wasTaken =
      error.attempts > 0 || error instanceof SendBlockedError || error instanceof SendGuardError;
    const keyIsFree = before === 'keyed' && this.#started === 'keyed' && wasTaken;
    return keyIsFree || before === 'rejected' ? 'open' : before;
  }

  /** The state of an item that may be carried out from now on. No key knows of an item that was started without one. */
  #statusOnceStarted(before: ItemStatus): 'keyed' | 'unknown' {
    return before === 'unknown' ? 'unknown' : this.#started;
  }

  /** Records the new state of an item. It is saved soon; the caller need not wait. */
  #settle(index: number, status: ItemStatus): void {
    this.#claimed.delete(index);
    this.#set(index, status);
    this.#unsaved += 1;
    if (!this.#operation.repeatable || this.#unsaved >= repeatableBatch) void this.#save();
  }

  #set(index: number, status: ItemStatus): void {
    this.#statuses.set([index, index], status);
    this.#changes.set([index, index], status);
  }

  /** Resolves when a save that started after this call has succeeded or failed. */
  #save(): Promise<void> {
    this.#nextSaving ??= this.#lastSaving.then(() => this.#saveNow());
    this.#lastSaving = this.#nextSaving;
    return this.#nextSaving;
  }

  async #saveNow(): Promise<void> {
    this.#nextSaving = undefined; // later changes belong to the save after this one
    this.#unsaved = 0;
    const taken = this.#changes;
    this.#changes = new ItemStatuses();
    const store = this.#store;
    const isWhole = store?.append === undefined || this.#appended > this.#statuses.size + appendedAtMost;
    try {
      if (isWhole) await store?.save(checkpointOf(this.#operation.name, this.#statuses));
      else if (taken.size > 0) await store?.append?.(taken.lists());
      this.#appended = isWhole ? 0 : this.#appended + taken.size;
    } catch (error) {
      this.#appended = Number.POSITIVE_INFINITY; // a change was lost, so the next save must save the whole
      this.#saveFailed(error);
    }
  }
}

function isUnclear(status: ItemStatus): boolean {
  return status === 'unknown' || status === 'keyed';
}

/** The number of items in an array or a set; `undefined` for other inputs, whose length may mean something else. */
function sizeOf(inputs: BulkInputs<unknown>): number | undefined {
  if (Array.isArray(inputs)) return inputs.length;
  if (Object.prototype.toString.call(inputs) !== '[object Set]') return undefined;
  const size: unknown = Reflect.get(inputs, 'size');
  return typeof size === 'number' ? size : undefined;
}
