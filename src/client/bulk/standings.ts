import type { BulkCheckpoint, BulkCheckpointChange, IndexRange } from './checkpoint.js';

/** The state of an item: closed as done or rejected, possibly carried out, or open. */
export type Standing = 'done' | 'rejected' | 'unknown' | 'open';

/** Items in a row with one state, both ends included. */
interface Stretch {
  readonly first: number;
  readonly last: number;
  readonly standing: Standing;
}

/**
 * The states of items by index. It is small if few neighbours differ: it stores stretches of equal items, ascending, that
 * neither overlap nor touch an equal one.
 */
export class Standings {
  /** How many items have each state. */
  readonly counts = { done: 0, rejected: 0, unknown: 0, open: 0 };
  readonly #stretches: Stretch[] = [];

  /** How many ranges its lists have. */
  get size(): number {
    return this.#stretches.length;
  }

  /** The state of an item; `undefined` if it was never set. */
  of(index: number): Standing | undefined {
    const stretch = this.#stretches[this.#firstEndingFrom(index)];
    return stretch !== undefined && stretch.first <= index ? stretch.standing : undefined;
  }

  /** Whether the state of any item of a range was set. */
  overlaps([first, last]: IndexRange): boolean {
    const stretch = this.#stretches[this.#firstEndingFrom(first)];
    return stretch !== undefined && stretch.first <= last;
  }

  set([first, last]: IndexRange, standing: Standing): void {
    const from = this.#firstEndingFrom(first - 1);
    const replacement: Stretch[] = [];
    let whole: Stretch = { first, last, standing };
    let to = from;
    for (; ; to += 1) {
      const old = this.#stretches[to];
      if (old === undefined || old.first > last + 1) break;
      this.#count(old, -1);
      if (old.standing === standing) {
        whole = { first: Math.min(whole.first, old.first), last: Math.max(whole.last, old.last), standing };
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
    const lists: { [State in Standing]?: IndexRange[] } = {};
    for (const { first, last, standing } of this.#stretches) {
      const list = lists[standing] ?? [];
      list.push([first, last]);
      lists[standing] = list;
    }
    return lists;
  }

  #count({ first, last, standing }: Stretch, sign: 1 | -1): void {
    this.counts[standing] += sign * (last - first + 1);
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
export function checkpointOf(operation: string, standings: Standings): BulkCheckpoint {
  const { done = [], rejected = [], unknown = [] } = standings.lists();
  return { version: 2, operation, done, rejected, unknown };
}

/** Parses what a store has loaded: a checkpoint of the operation, or one and its changes. `undefined` if it is none. */
export function readStandings(loaded: unknown, operation: string): Standings | undefined {
  const [saved, ...changes]: readonly unknown[] = Array.isArray(loaded) ? loaded : [loaded];
  const { version, operation: named }: { version?: unknown; operation?: unknown } = Object(saved);
  if (version !== 2 || named !== operation) return undefined;
  const standings = new Standings();
  for (const part of [saved, ...changes]) {
    for (const standing of ['done', 'rejected', 'unknown', 'open'] as const) {
      const ranges: unknown = Reflect.get(Object(part), standing);
      // A checkpoint has its three lists. Without one it is damaged, and its items would be sent again.
      if (ranges === undefined && (part !== saved || standing === 'open')) continue;
      if (!areRanges(ranges)) return undefined;
      for (const range of ranges) {
        // Of a checkpoint that has an item in two lists, nothing can be believed.
        if (part === saved && standings.overlaps(range)) return undefined;
        standings.set(range, standing);
      }
    }
  }
  return standings;
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
