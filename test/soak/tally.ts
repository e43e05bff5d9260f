/** Counts by name, for the table at the end. */
export class Tally {
  readonly #counts = new Map<string, Map<string, number>>();

  add(group: string, name: string, count = 1): void {
    const names = this.#counts.get(group) ?? new Map<string, number>();
    this.#counts.set(group, names.set(name, (names.get(name) ?? 0) + count));
  }

  /** The counts of a group, the largest first. */
  of(group: string): readonly (readonly [string, number])[] {
    return [...(this.#counts.get(group) ?? [])].sort(([, one], [, other]) => other - one);
  }

  total(group: string): number {
    return this.of(group).reduce((sum, [, count]) => sum + count, 0);
  }
}
