/** What faults keep waiting until the workspace ends. */
export class Holds {
  readonly #releases = new Set<() => void>();
  #released = false;

  /** Calls `release` when the workspace ends, at once if it has; returns what forgets it. */
  add(release: () => void): () => void {
    if (this.#released) release();
    else this.#releases.add(release);
    return () => void this.#releases.delete(release);
  }

  /** Has nothing wait any more, now or later. */
  release(): void {
    this.#released = true;
    for (const release of this.#releases) release();
    this.#releases.clear();
  }
}
