/** The requests that faults keep waiting: delayed ones, and those with half an answer. */
export class HeldRequests {
  readonly #breakOffs = new Set<() => void>();
  #ended = false;

  /** Calls `breakOff` where the request is to wait no longer, at once after the end; returns what forgets it. */
  add(breakOff: () => void): () => void {
    if (this.#ended) breakOff();
    else this.#breakOffs.add(breakOff);
    return () => void this.#breakOffs.delete(breakOff);
  }

  /** Breaks off all of them, whose workspace is put back to another state. */
  breakOff(): void {
    for (const breakOff of this.#breakOffs) breakOff();
    this.#breakOffs.clear();
  }

  /** Breaks off all of them, and whatever comes later at once. */
  end(): void {
    this.#ended = true;
    this.breakOff();
  }
}
