/** A range of items by index in the input, counted from 0. It includes both ends. */
export type IndexRange = readonly [first: number, last: number];

/**
 * The progress of a bulk job, as plain JSON. An item in none of the lists is open: the next run processes it. The size
 * grows with the number of gaps between the ranges, not with the number of items.
 */
export interface BulkCheckpoint {
  /** The version of this format. Runs also read version 2, which has no `keyed`. */
  readonly version: 3;
  /** The operation of the job, such as `transactional.send`. */
  readonly operation: string;
  /** Items that were carried out. Later runs skip them. Ascending. */
  readonly done: readonly IndexRange[];
  /**
   * Items that the service rejected because of their content. A later run retries them with `retryRejected`. Ascending.
   */
  readonly rejected: readonly IndexRange[];
  /**
   * Items that may have been carried out. A later run repeats sends and events only with `retryUnknown`. It always repeats
   * upserts, because they are idempotent. Ascending.
   */
  readonly unknown: readonly IndexRange[];
  /**
   * Items that may have been carried out, with an idempotency key. A later run with keys makes their calls, because the store knows their
   * outcome. For a run without keys they are like `unknown`. Ascending.
   */
  readonly keyed: readonly IndexRange[];
}

/** The items whose state has changed. Each of them is in one list. A list that is absent is empty. */
export type BulkCheckpointChange = {
  readonly done?: readonly IndexRange[] | undefined;
  readonly rejected?: readonly IndexRange[] | undefined;
  readonly unknown?: readonly IndexRange[] | undefined;
  readonly keyed?: readonly IndexRange[] | undefined;
  /** Items that the next run processes, because their request was not sent after all. */
  readonly open?: readonly IndexRange[] | undefined;
};

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
   * save stores the whole checkpoint, which is large for a long job with many gaps.
   */
  append?(change: BulkCheckpointChange): Promise<void>;
  /**
   * Called once after the last `save`, when a run ends, if `open` resolved. The run ignores what it throws, and does not
   * wait longer than thirty seconds.
   */
  close?(): Promise<void>;
}

/** The state of an item: closed as done or rejected, possibly carried out without or with a key, or open. */
export type ItemStatus = 'done' | 'rejected' | 'unknown' | 'keyed' | 'open';

/** Items in a row with one state, both ends included. */
interface Stretch {
  readonly first: number;
  readonly last: number;
  readonly status: ItemStatus;
}

/**
 * The states of items by index. It is small if few neighbours differ: it stores stretches of equal items, ascending, that
 * neither overlap nor touch an equal one.
 */
export class ItemStatuses {
  /** How many items have each state. */
  readonly counts = { done: 0, rejected: 0, unknown: 0, keyed: 0, open: 0 };
  readonly #stretches: Stretch[] = [];

  /** How many ranges its lists have. */
  get size(): number {
    return this.#stretches.length;
  }

  /** The state of an item; `undefined` if it was never set. */
  of(index: number): ItemStatus | undefined {
    const stretch = this.#stretches[this.#firstEndingFrom(index)];
    return stretch !== undefined && stretch.first <= index ? stretch.status : undefined;
  }

  /** Whether the state of any item of a range was set. */
  overlaps([first, last]: IndexRange): boolean {
    const stretch = this.#stretches[this.#firstEndingFrom(first)];
    return stretch !== undefined && stretch.first <= last;
  }

  set([first, last]: IndexRange, status: ItemStatus): void {
    const from = this.#firstEndingFrom(first - 1);
    const replacement: Stretch[] = [];
    let whole: Stretch = { first, last, status };
    let to = from;
    for (; ; to += 1) {
      const old = this.#stretches[to];
      if (old === undefined || old.first > last + 1) break;
      this.#count(old, -1);
      if (old.status === status) {
        whole = { first: Math.min(whole.first, old.first), last: Math.max(whole.last, old.last), status };
      } else {
        if (old.first < first) replacement.push({ ...old, last: Math.min(old.last, first - 1) });
        if (old.last > last) replacement.push({ ...old, first: Math.max(old.first, last + 1) });
      }
    }
    replacement.push(whole);
    replacement.sort((one, other) => one.first - other.first);
    for (const stretch of replacement) this.#count(stretch, 1);
    this.#stretches.splice(from, to - from, ...replacement);
  }

  /** The ranges of each state that an item has. */
  lists(): BulkCheckpointChange {
    const lists: { [State in ItemStatus]?: IndexRange[] } = {};
    for (const { first, last, status } of this.#stretches) {
      lists[status] ??= [];
      lists[status].push([first, last]);
    }
    return lists;
  }

  #count({ first, last, status }: Stretch, sign: 1 | -1): void {
    this.counts[status] += sign * (last - first + 1);
  }

  /** The position of the first stretch that ends at `index` or after it. */
  #firstEndingFrom(index: number): number {
    let low = 0;
    let high = this.#stretches.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const stretch = this.#stretches[middle];
      if (stretch !== undefined && stretch.last < index) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The checkpoint of a job in these states. */
export function checkpointOf(operation: string, statuses: ItemStatuses): BulkCheckpoint {
  const { done = [], rejected = [], unknown = [], keyed = [] } = statuses.lists();
  return { version: 3, operation, done, rejected, unknown, keyed };
}

/** The lists of a checkpoint by its version. Without one of them it is damaged, and its items would be sent again. */
const listsOfVersion = new Map<unknown, readonly ItemStatus[]>([
  [2, ['done', 'rejected', 'unknown']],
  [3, ['done', 'rejected', 'unknown', 'keyed']],
]);
const listsOfChange: readonly ItemStatus[] = ['done', 'rejected', 'unknown', 'keyed', 'open'];

/** Parses what a store has loaded: a checkpoint of the operation, or one and its changes. `undefined` if it is none. */
export function readItemStatuses(loaded: unknown, operation: string): ItemStatuses | undefined {
  const [saved, ...changes]: readonly unknown[] = Array.isArray(loaded) ? loaded : [loaded];
  const { version, operation: named }: { version?: unknown; operation?: unknown } = Object(saved);
  const lists = listsOfVersion.get(version);
  if (lists === undefined || named !== operation) return undefined;
  const statuses = new ItemStatuses();
  for (const status of lists) {
    const ranges: unknown = Reflect.get(Object(saved), status);
    // Of a checkpoint that has an item in two lists, nothing can be believed.
    if (!areRanges(ranges) || ranges.some((range) => statuses.overlaps(range))) return undefined;
    for (const range of ranges) statuses.set(range, status);
  }
  for (const change of changes) {
    for (const status of listsOfChange) {
      const ranges: unknown = Reflect.get(Object(change), status) ?? [];
      if (!areRanges(ranges)) return undefined;
      for (const range of ranges) statuses.set(range, status);
    }
  }
  return statuses;
}

function areRanges(value: unknown): value is readonly IndexRange[] {
  if (!Array.isArray(value)) return false;
  let before = -2; // the first range may begin at 0, not before, and any two have a gap between them
  for (const range of value) {
    if (!Array.isArray(range) || range.length !== 2) return false;
    const [first, last]: unknown[] = range;
    if (!isWhole(first) || !isWhole(last) || first < before + 2 || last < first) return false;
    before = last;
  }
  return true;
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
