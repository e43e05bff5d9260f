/** The requests that faults delay or stall. */
export class HeldRequests {
  readonly #breakOffs = new Set<() => void>();
  #ended = false;

  /** Whether no request waits. */
  get isIdle(): boolean {
    return this.#breakOffs.size === 0;
  }

  /** Calls `breakOff` when the request must stop waiting, at once after the end. Returns a function that removes it. */
  add(breakOff: () => void): () => void {
    if (this.#ended) breakOff();
    else this.#breakOffs.add(breakOff);
    return () => void this.#breakOffs.delete(breakOff);
  }

  /** Aborts all waiting requests before a restore. */
  breakOff(): void {
    for (const breakOff of this.#breakOffs) breakOff();
    this.#breakOffs.clear();
  }

  /** Aborts all waiting requests, and every later one at once. */
  end(): void {
    this.#ended = true;
    this.breakOff();
  }
}
