/** How many more numbers than things there may be before those of what is gone are given up. */
const spare = 1_000;

/**
 * Numbers things in the order in which they are first seen, so that a list of them can be read on from a place in it. No
 * number is given twice: what came after the place has a higher one, whatever was deleted meanwhile.
 */
export class Numbering {
  #numbers = new Map<string, number>();
  #last = 0;

  /** The things with their numbers, in the order of those. */
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
