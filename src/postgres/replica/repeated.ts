import type { Clock } from '../../foundation/clock.js';

/** Repeats a task, with a pause after each run. */
export class Repeated {
  readonly #clock: Clock;
  readonly #pause: number;
  readonly #task: () => Promise<void>;
  #isEnded = false;
  #cancel = () => {};
  #running: Promise<void> = Promise.resolve();

  /**
   * @param pause - In milliseconds.
   * @param task - Never rejects.
   */
  constructor(clock: Clock, pause: number, task: () => Promise<void>) {
    this.#clock = clock;
    this.#pause = pause;
    this.#task = task;
  }

  start(): void {
    if (this.#isEnded) return;
    this.#cancel = this.#clock.setTimer(() => {
      this.#running = this.#task().then(() => this.start());
    }, this.#pause);
  }

  /** Stops repeating. Resolves when the running task has ended. */
  async end(): Promise<void> {
    this.#isEnded = true;
    this.#cancel();
    await this.#running;
  }
}
