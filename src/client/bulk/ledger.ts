import { steadyTime } from '../../foundation/clock.js';
import { InvalidInputError } from '../errors/no-response-errors.js';
import { checkpointOf, type ItemStatus, ItemStatuses, readItemStatuses } from './checkpoint.js';
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
 *
 * @param saveFailed Called for each failed save, before the items that wait for it continue.
 */
export function createLedger(
  { operation, inputs, options, timing: { clock } }: BulkJob<unknown, unknown>,
  saveFailed: (error: unknown) => void,
) {
  const { checkpoint: store, total = sizeOf(inputs) } = options;
  /** When the work began: a wait for the lock of the checkpoint is no part of it. */
  let start = steadyTime(clock);
  const outcomes = { done: 0, rejected: 0, unknown: 0, skipped: 0 };
  let statuses = new ItemStatuses();
  /** Items that are unknown only because their request is about to start. */
  const claimed = new Set<number>();
  /** The changes that no save has taken up. */
  let changes = new ItemStatuses();
  let unsaved = 0;
  /** How many ranges were appended since the whole was saved. The first save of a run saves the whole. */
  let appended = Number.POSITIVE_INFINITY;
  let lastSaving: Promise<void> = Promise.resolve();
  let nextSaving: Promise<void> | undefined;

  const status = (index: number): ItemStatus => statuses.of(index) ?? 'open';

  function set(index: number, to: ItemStatus): void {
    statuses.set([index, index], to);
    changes.set([index, index], to);
  }

  /** Resolves when a save that started after this call has succeeded or failed. */
  function save(): Promise<void> {
    nextSaving ??= lastSaving.then(saveNow);
    lastSaving = nextSaving;
    return nextSaving;
  }

  async function saveNow(): Promise<void> {
    nextSaving = undefined; // later changes belong to the save after this one
    unsaved = 0;
    const taken = changes;
    changes = new ItemStatuses();
    const isWhole = store?.append === undefined || appended > statuses.size + appendedAtMost;
    try {
      if (isWhole) await store?.save(checkpointOf(operation.name, statuses));
      else if (taken.size > 0) await store?.append?.(taken.lists());
      appended = isWhole ? 0 : appended + taken.size;
    } catch (error) {
      appended = Number.POSITIVE_INFINITY; // a change was lost, so the next save must save the whole
      saveFailed(error);
    }
  }

  /** Records the new state of an item. It is saved soon; the caller need not wait. */
  function settle(index: number, to: ItemStatus): void {
    claimed.delete(index);
    set(index, to);
    unsaved += 1;
    if (!operation.repeatable || unsaved >= repeatableBatch) void save();
  }

  /** The counts of the whole job by state. */
  function counts(): BulkCounts {
    const { done, rejected, unknown } = statuses.counts;
    return { done, rejected, unknown: unknown - claimed.size };
  }

  return {
    counts,
    status,
    settle,
    open: async () => {
      await store?.open?.();
      start = steadyTime(clock);
    },
    async load(): Promise<void> {
      const { name } = operation;
      const stored = await store?.load();
      if (stored === undefined || stored === null) return;
      const read = readItemStatuses(stored, name);
      if (read === undefined) {
        const message = `holds something else than a checkpoint of ${name}; give each job a store of its own`;
        throw new InvalidInputError(`${name}Many`, [{ field: 'checkpoint', message }]);
      }
      statuses = read;
    },
    /** Everything is saved, so a store that fails to close or takes too long does not matter. */
    async close(): Promise<void> {
      if (store?.close === undefined) return;
      const closed = Promise.resolve(store.close()).catch(() => {});
      await new Promise<void>((resolve) => {
        const cancelTimer = clock.setTimer(resolve, longestClose);
        void closed.then(cancelTimer).then(resolve);
      });
    },
    /** Counts how an item of this run ended. */
    count(status: BulkOutcome<unknown, unknown>['status'] | 'skipped'): void {
      outcomes[status] += 1;
    },
    /** The progress of this run, with an estimate of the remaining time. */
    progress(): BulkProgress {
      const { done, rejected, unknown, skipped } = outcomes;
      const progress = { ...outcomes, overall: counts() };
      if (total === undefined) return { ...progress, percent: undefined, timeLeft: undefined };
      const processed = done + rejected + unknown;
      const left = Math.max(0, total - processed - skipped);
      const elapsed = Math.max(0, steadyTime(clock) - start);
      return {
        ...progress,
        percent: left === 0 ? 100 : (100 * (total - left)) / total,
        timeLeft: processed === 0 ? undefined : (elapsed / processed) * left,
      };
    },
    /** Resolves once the item's request may start. It also resolves if the save failed: check whether the run stopped. */
    async claim(index: number): Promise<void> {
      if (operation.repeatable || store === undefined) return;
      if (status(index) !== 'unknown') claimed.add(index);
      set(index, 'unknown');
      await save();
    },
    /** Closes open items as rejected. An item that may have been carried out before stays unknown. */
    reject(indexes: readonly number[]): void {
      for (const index of indexes) if (status(index) === 'open') settle(index, 'rejected');
    },
    /** Saves the whole checkpoint once no save is under way, so that nothing of it is spread over changes. */
    async saveWhole(): Promise<void> {
      await lastSaving;
      appended = Number.POSITIVE_INFINITY;
      await save();
    },
  };
}

/** The number of items in an array or a set; `undefined` for other inputs, whose length may mean something else. */
function sizeOf(inputs: BulkInputs<unknown>): number | undefined {
  if (Array.isArray(inputs)) return inputs.length;
  if (Object.prototype.toString.call(inputs) !== '[object Set]') return undefined;
  const size: unknown = Reflect.get(inputs, 'size');
  return typeof size === 'number' ? size : undefined;
}
