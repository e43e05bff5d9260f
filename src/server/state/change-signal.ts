/** Tells whoever asked that something changed. What it was, they look up themselves. */
export class ChangeSignal {
  readonly #watchers = new Set<() => void>();

  /** Calls back after each change from now on; returns what ends it. */
  watch(watcher: () => void): () => void {
    const own = () => watcher();
    this.#watchers.add(own);
    return () => void this.#watchers.delete(own);
  }

  readonly tell = (): void => {
    for (const watcher of this.#watchers) watcher();
  };
}
