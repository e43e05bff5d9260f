/** A range of items by their place in the input, counted from 0; both ends belong to it. */
export type IndexRange = readonly [first: number, last: number];

/**
 * How far a bulk job has come, as plain JSON. An item in none of the lists is open: a run takes it up. The size grows
 * with the gaps between the ranges, not with the number of items.
 *
 * A run also reads version 1, which kept `done` and `rejected` in one list, `finished`: it counts them as done.
 */
export interface BulkCheckpoint {
  /** The version of this format. */
  readonly version: 2;
  /** The operation it belongs to, as in `transactional.send`. */
  readonly operation: string;
  /** Items that were carried out. No later run takes them up. Ascending. */
  readonly done: readonly IndexRange[];
  /** Items that the service refused for what they are. A later run takes them up with `retryRejected`. Ascending. */
  readonly rejected: readonly IndexRange[];
  /**
   * Items that may have been carried out. A later run sends them again only with `retryUnknown`; it upserts them
   * again without asking, because that does no harm. Ascending.
   */
  readonly unknown: readonly IndexRange[];
}

/**
 * Where a bulk job keeps its checkpoint: a file, a row, a key. One store for one job, used by one run at a time.
 * `fileCheckpoint` of `messaging-automation/bulk` is one in a file.
 *
 * @example
 * ```ts
 * import type { CheckpointStore } from 'messaging-automation';
 *
 * const table = new Map<string, string>(); // stands for a table of your database
 * const store: CheckpointStore = {
 *   load: async () => JSON.parse(table.get('spring-campaign') ?? 'null'),
 *   save: async (checkpoint) => void table.set('spring-campaign', JSON.stringify(checkpoint)),
 * };
 * console.log(await store.load());
 * ```
 */
export interface CheckpointStore {
  /**
   * Called once before `load`, when a run starts: the place to take a lock. Where it rejects, the run rejects with
   * that error and sends nothing.
   */
  open?(): Promise<void>;
  /** Gives what `save` was given last; `undefined` or `null` when there is nothing yet. */
  load(): Promise<unknown>;
  /**
   * Keeps the checkpoint in place of the one before. It must not resolve until the checkpoint would survive the
   * end of the process: that is what keeps a send from being made twice. Never called while a call is under way.
   */
  save(checkpoint: BulkCheckpoint): Promise<void>;
  /** Called once after the last `save`, when a run ends, if `open` resolved. What it throws is ignored. */
  close?(): Promise<void>;
}
