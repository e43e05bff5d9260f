/** Counts the items in progress, and lets one caller wait until their number is below a limit. */
export class Slots {
  #acquired = 0;
  #wake = () => {};

  acquire(): void {
    this.#acquired += 1;
  }

  release(): void {
    this.#acquired -= 1;
    this.#wake();
  }

  /** Resolves when fewer than `count` slots are acquired. Supports one caller at a time. */
  async untilBelow(count: number): Promise<void> {
    while (this.#acquired >= count) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
