/** Counts the items that a run holds, for the one that waits until there are few enough. */
export class Places {
  #taken = 0;
  #wake = () => {};

  take(): void {
    this.#taken += 1;
  }

  leave(): void {
    this.#taken -= 1;
    this.#wake();
  }

  /** Resolves once fewer than `count` are taken. One waits at a time. */
  async below(count: number): Promise<void> {
    while (this.#taken >= count) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
