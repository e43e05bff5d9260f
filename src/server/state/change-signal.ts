/** Notifies listeners of changes. Listeners look up what changed. */
export class ChangeSignal {
  readonly #watchers = new Set<() => void>();

  /** Calls back after each change. Returns a function that stops the calls. */
  watch(watcher: () => void): () => void {
    const own = () => watcher();
    this.#watchers.add(own);
    return () => void this.#watchers.delete(own);
  }

  readonly tell = (): void => {
    for (const watcher of this.#watchers) watcher();
  };
}
