import { soon } from './machine-clock.js';

/** How many callers continue per turn of the event loop. */
const inOneTurn = 4;

/** Lets a few callers continue in each turn of the event loop, in their order. */
export class Turns {
  readonly #waiting: (() => void)[] = [];

  /** Resolves when it is the caller's turn. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) this.#letSomeThrough();
    });
  }

  #letSomeThrough(): void {
    soon(() => {
      for (const goOn of this.#waiting.splice(0, inOneTurn)) goOn();
      if (this.#waiting.length > 0) this.#letSomeThrough();
    });
  }
}
