/** Counts the items that a run holds, and lets one waiter wait until there are few enough. */
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

  /** Resolves once fewer than `count` are taken. Supports one waiter at a time. */
  async below(count: number): Promise<void> {
    while (this.#taken >= count) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
