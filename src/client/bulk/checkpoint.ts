/** A range of items by index in the input, counted from 0. It includes both ends. */
export type IndexRange = readonly [first: number, last: number];

/**
 * The progress of a bulk job, as plain JSON. An item in none of the lists is open: the next run processes it. The size
 * grows with the number of gaps between the ranges, not with the number of items.
 */
export interface BulkCheckpoint {
  /** The version of this format. */
  readonly version: 2;
  /** The operation of the job, such as `transactional.send`. */
  readonly operation: string;
  /** Items that were carried out. Later runs skip them. Ascending. */
  readonly done: readonly IndexRange[];
  /**
   * Items that the service rejected because of their content. A later run retries them with `retryRejected`. Ascending.
   */
  readonly rejected: readonly IndexRange[];
  /**
   * Items that may have been carried out. A later run repeats sends only with `retryUnknown`. It always repeats
   * upserts, because they are idempotent. Ascending.
   */
  readonly unknown: readonly IndexRange[];
}

/** The items whose state has changed. Each of them is in one list. A list that is absent is empty. */
export interface BulkCheckpointChange {
  readonly done?: readonly IndexRange[] | undefined;
  readonly rejected?: readonly IndexRange[] | undefined;
  readonly unknown?: readonly IndexRange[] | undefined;
  /** Items that the next run processes, because their request was not sent after all. */
  readonly open?: readonly IndexRange[] | undefined;
}

/**
 * Stores the checkpoint of a bulk job: in a file, a row or a key. Use one store per job, and one run at a time.
 * `fileCheckpoint` of `messaging-automation/bulk` stores it in a file.
 *
 * @example
 * ```ts
 * import type { CheckpointStore } from 'messaging-automation';
 *
 * const table = new Map<string, string>(); // use a table of your database instead
 * const store: CheckpointStore = {
 *   load: async () => JSON.parse(table.get('spring-campaign') ?? 'null'),
 *   save: async (checkpoint) => void table.set('spring-campaign', JSON.stringify(checkpoint)),
 * };
 * console.log(await store.load());
 * ```
 */
export interface CheckpointStore {
  /**
   * Called once before `load`, when a run starts. Take a lock here. If it rejects, the run rejects with that error and
   * sends nothing.
   */
  open?(): Promise<void>;
  /**
   * Returns the checkpoint that `save` last received; `undefined` or `null` if there is none. If the store has `append`:
   * an array of that checkpoint and the changes that were appended after it, in order.
   */
  load(): Promise<unknown>;
  /**
   * Replaces the stored checkpoint. It must not resolve before the checkpoint is durable, because this prevents
   * duplicate sends after a crash. The run never calls it concurrently.
   */
  save(checkpoint: BulkCheckpoint): Promise<void>;
  /**
   * Adds changes to the stored checkpoint, under the same conditions as `save`. With it, a job stores a constant number
   * of bytes for each item, and the run replaces checkpoint and changes by one `save` from time to time. Without it, each
   * save stores the whole checkpoint, which is much for a long job with many gaps.
   */
  append?(change: BulkCheckpointChange): Promise<void>;
  /**
   * Called once after the last `save`, when a run ends, if `open` resolved. The run ignores what it throws, and does not
   * wait longer than thirty seconds.
   */
  close?(): Promise<void>;
}
