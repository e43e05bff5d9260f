import type { IndexRange } from './checkpoint.js';

/**
 * A set of whole numbers, stored as ascending ranges that neither overlap nor touch. It is small if it has few gaps.
 */
export class IndexRanges {
  readonly #ranges: IndexRange[];
  #size: number;

  constructor(ranges: readonly IndexRange[] = []) {
    this.#ranges = [...ranges];
    this.#size = ranges.reduce((size, [first, last]) => size + last - first + 1, 0);
  }

  /** How many numbers are in the set. */
  get size(): number {
    return this.#size;
  }

  has(index: number): boolean {
    const range = this.#ranges[this.#firstEndingFrom(index)];
    return range !== undefined && range[0] <= index;
  }

  add(index: number): void {
    if (this.has(index)) return;
    this.#size += 1;
    // The first range that touches the index, or else the first range after it.
    const at = this.#firstEndingFrom(index - 1);
    let [first, last] = [index, index];
    let touched = 0;
    for (let range = this.#ranges[at]; range !== undefined && range[0] <= index + 1; ) {
      first = Math.min(first, range[0]);
      last = Math.max(last, range[1]);
      touched += 1;
      range = this.#ranges[at + touched];
    }
    this.#ranges.splice(at, touched, [first, last]);
  }

  delete(index: number): void {
    const at = this.#firstEndingFrom(index);
    const range = this.#ranges[at];
    if (range === undefined || range[0] > index) return;
    this.#size -= 1;
    const [first, last] = range;
    const left: IndexRange[] = [];
    if (first < index) left.push([first, index - 1]);
    if (index < last) left.push([index + 1, last]);
    this.#ranges.splice(at, 1, ...left);
  }

  toArray(): readonly IndexRange[] {
    return [...this.#ranges];
  }

  /** Every number of the set, ascending. */
  *[Symbol.iterator](): Generator<number> {
    for (const [first, last] of this.toArray())
      for (let index = first; index <= last; index += 1) yield index;
  }

  /** The position of the first range that ends at `index` or after it. */
  #firstEndingFrom(index: number): number {
    let low = 0;
    let high = this.#ranges.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const range = this.#ranges[middle];
      if (range !== undefined && range[1] < index) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
