/** Keeps the ids of the newest finished records, up to a limit. */
export class Retention {
  readonly #limit: number;
  readonly #ids = new Set<string>();
  /** One iterator for all removals, because a new one would skip all removed ids that the set has not compacted yet. */
  readonly #oldestFirst = this.#ids.values();
  /** How many records were dropped to make room. */
  forgotten = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds a record, and returns the id of the one to drop for it, if any. */
  add(id: string): string | undefined {
    this.#ids.add(id);
    if (this.#ids.size <= this.#limit) return undefined;
    const oldest = this.#oldestFirst.next().value;
    if (oldest !== undefined) this.#ids.delete(oldest);
    this.forgotten += 1;
    return oldest;
  }

  /** Removes a record that was deleted. */
  delete(id: string): void {
    this.#ids.delete(id);
  }
}
