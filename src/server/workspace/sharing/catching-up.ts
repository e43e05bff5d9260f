import { StoreUnavailableError } from '../../model/service-error.js';
import { lookAgainAfter } from '../../time/machine-clock.js';

/** The pause before a step is repeated because the store was unreachable. In milliseconds. */
const pause = 1_000;

export interface CatchingUpOptions {
  /** Called with the first of several errors in a row. */
  readonly onFailure: (error: unknown) => void;
  /** Whether this process no longer needs the step. */
  readonly isOver: () => boolean;
}

/**
 * Runs a step in the background after each notice. Repeats it while the store is unreachable, because no other notice may come.
 */
export class CatchingUp {
  readonly #step: () => Promise<void>;
  readonly #options: CatchingUpOptions;
  #isRunning = false;
  /** Whether to run again after the current run, which may have begun too early. */
  #isBehind = false;

  constructor(step: () => Promise<void>, options: CatchingUpOptions) {
    this.#step = step;
    this.#options = options;
  }

  start(): void {
    this.#isBehind = true;
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    const { onFailure, isOver } = this.#options;
    this.#isRunning = true;
    let isFirst = true;
    while (this.#isBehind && !isOver()) {
      this.#isBehind = false;
      try {
        await this.#step();
        isFirst = true;
      } catch (error) {
        if (isFirst) onFailure(error);
        isFirst = false;
        if (!(error instanceof StoreUnavailableError)) continue;
        this.#isBehind = true;
        await lookAgainAfter(pause);
      }
    }
    this.#isRunning = false;
  }
}
