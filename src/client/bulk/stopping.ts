import type { BulkStop } from './outcome.js';

/** Whether and why a run has stopped. The first cause counts. */
export class Stopping {
  readonly #halt = new AbortController();
  readonly #onStop: () => void;
  #because: BulkStop | undefined;

  /** @param onStop Called for each cause that stops the run. */
  constructor(onStop: () => void) {
    this.#onStop = onStop;
  }

  /** Why the run stopped before the end of its input; `undefined` if it has not stopped. */
  get because(): BulkStop | undefined {
    return this.#because;
  }

  /** Aborts when the run stops, so that no call makes another attempt. */
  get signal(): AbortSignal {
    return this.#halt.signal;
  }

  /** Prevents further items and attempts. Requests in flight continue. */
  stop(because: BulkStop): void {
    this.#because ??= because;
    this.#onStop();
    this.#halt.abort();
  }
}
