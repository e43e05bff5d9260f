import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** Draws that are the same for the same seed and stream. */
export class Chance {
  readonly #next: () => number;

  constructor(seed: number, stream: number) {
    const generator = xoroshiro128plus((seed + Math.imul(stream, 0x9e3779b9)) | 0);
    // A generator's first numbers are much like those of a generator whose seed is near.
    for (let skipped = 0; skipped < 8; skipped += 1) generator.next();
    this.#next = () => uniformFloat64(generator);
  }

  /** True in so many of all cases, from 0 to 1. */
  in(probability: number): boolean {
    return this.#next() < probability;
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.#next() * (most - least + 1));
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.between(0, items.length - 1)] ?? items[0];
  }

  /** One of the items, each as often as its weight is of all weights. */
  weighted<Item>(items: readonly [readonly [number, Item], ...(readonly [number, Item])[]]): Item {
    let left = this.#next() * items.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, item] of items) {
      left -= weight;
      if (left < 0) return item;
    }
    return items[0][1];
  }
}
