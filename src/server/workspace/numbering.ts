/** How many numbers of deleted items can accumulate before they are dropped. */
const spare = 1_000;

/**
 * Numbers items in the order in which they are first listed, so that a cursor can continue a list. No number is used
 * twice: later items have higher numbers, even after deletions.
 */
export class Numbering {
  #numbers = new Map<string, number>();
  #last = 0;

  /** The items with their numbers, in the order of the numbers. */
  of<Thing extends { readonly id: string }>(
    things: readonly Thing[],
  ): readonly (readonly [number: number, thing: Thing])[] {
    const numbered = things.map((thing) => [this.#numberOf(thing.id), thing] as const);
    if (this.#numbers.size > 2 * things.length + spare) {
      this.#numbers = new Map(numbered.map(([number, { id }]) => [id, number]));
    }
    return numbered.sort(([one], [other]) => one - other);
  }

  #numberOf(id: string): number {
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    this.#last += 1;
    this.#numbers.set(id, this.#last);
    return this.#last;
  }
}
