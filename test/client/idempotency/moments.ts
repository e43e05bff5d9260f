import { withResolvers } from '../../waiting.js';

/** Moments that a test counts. */
export class Moments {
  readonly #waiting = new Set<() => void>();

  /** One has come. */
  tell(): void {
    for (const tell of this.#waiting) tell();
  }

  /** Resolves when so many more have come. */
  after(count: number): Promise<void> {
    const { promise, resolve } = withResolvers();
    let left = count;
    const tell = () => {
      left -= 1;
      if (left > 0) return;
      this.#waiting.delete(tell);
      resolve();
    };
    this.#waiting.add(tell);
    return promise;
  }
}
