/** The requests that faults keep waiting until the workspace ends: delayed ones, and those with half an answer. */
export class HeldRequests {
  readonly #breakOffs = new Set<() => void>();
  #ended = false;

  /** Calls `breakOff` when the workspace ends, at once if it has; returns what forgets it. */
  add(breakOff: () => void): () => void {
    if (this.#ended) breakOff();
    else this.#breakOffs.add(breakOff);
    return () => void this.#breakOffs.delete(breakOff);
  }

  /** Breaks off all of them, and whatever comes later at once. */
  end(): void {
    this.#ended = true;
    for (const breakOff of this.#breakOffs) breakOff();
    this.#breakOffs.clear();
  }
}
