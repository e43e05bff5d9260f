import type { BulkStop } from './outcome.js';

/** Whether a run has stopped, and why: the first cause counts. */
export class Stopping {
  readonly #halt = new AbortController();
  readonly #told: () => void;
  #because: BulkStop | undefined;

  /** @param told Called each time that something stops the run. */
  constructor(told: () => void) {
    this.#told = told;
  }

  /** Why the run stopped before the end of its input; `undefined` while it goes on. */
  get because(): BulkStop | undefined {
    return this.#because;
  }

  /** Aborts when the run stops: no call makes another attempt then. */
  get signal(): AbortSignal {
    return this.#halt.signal;
  }

  /** Starts no further item, and no further attempt. What is on the wire goes on to its end. */
  stop(because: BulkStop): void {
    this.#because ??= because;
    this.#told();
    this.#halt.abort();
  }
}
