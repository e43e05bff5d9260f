/**
 * A range of items by their place in the input, counted from 0; both ends belong to it.
 *
 * @example
 * ```ts
 * import type { IndexRange } from 'messaging-automation';
 *
 * const lengthOf = ([first, last]: IndexRange) => last - first + 1;
 * ```
 */
export type IndexRange = readonly [first: number, last: number];

/**
 * What a bulk run has behind it, as plain JSON. What is in neither list is still to be done. Its size grows with the
 * gaps between the ranges, not with the number of items.
 *
 * @example
 * ```ts
 * import type { BulkCheckpoint } from 'messaging-automation';
 *
 * const checkpoint: BulkCheckpoint = {
 *   version: 1,
 *   operation: 'transactional.send',
 *   finished: [[0, 1199], [1201, 1203]],
 *   unknown: [[1200, 1200]],
 * };
 * console.log(JSON.stringify(checkpoint));
 * ```
 */
export interface BulkCheckpoint {
  /** The version of this format. */
  readonly version: 1;
  /** The operation it belongs to, as in `transactional.send`. */
  readonly operation: string;
  /** Items that were carried out, or rejected for what they are: no later run takes them up. Ascending. */
  readonly finished: readonly IndexRange[];
  /** Items that were begun, and of whose end nothing is known: they are not sent again by themselves. Ascending. */
  readonly unknown: readonly IndexRange[];
}

/**
 * Where a bulk run keeps its checkpoint: a file, a row, a key. One store for one job, used by one run at a time.
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
  /** Gives what `save` was given last; `undefined` or `null` when there is nothing yet. */
  load(): Promise<unknown>;
  /**
   * Keeps the checkpoint in place of the one before. It must not resolve until the checkpoint would survive the
   * end of the process: that is what keeps a send from being made twice. Never called while a call is under way.
   */
  save(checkpoint: BulkCheckpoint): Promise<void>;
}
