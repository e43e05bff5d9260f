/** Which of the records that are over are kept: the newest, up to a number. */
export class Retention {
  readonly #limit: number;
  readonly #ids = new Set<string>();
  /** A walk from the beginning would pass over all that was taken out since the set was last packed. */
  readonly #oldestFirst = this.#ids.values();
  /** How many had to make room. */
  forgotten = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Takes note of one more; gives the id of the one to forget for it. */
  add(id: string): string | undefined {
    this.#ids.add(id);
    if (this.#ids.size <= this.#limit) return undefined;
    const oldest = this.#oldestFirst.next().value;
    if (oldest !== undefined) this.#ids.delete(oldest);
    this.forgotten += 1;
    return oldest;
  }

  /** Takes note of one that is gone already. */
  delete(id: string): void {
    this.#ids.delete(id);
  }
}
