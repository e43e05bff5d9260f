import type { Clock } from '../../foundation/clock.js';

/** The moment by which a request is to be answered. */
export class AnswerDeadline {
  readonly #clock: Clock;
  readonly #length: number;
  readonly #end: number;
  #controller: AbortController | undefined;
  #isAborted = false;
  #isOver = false;

  constructor(clock: Clock, length: number) {
    this.#clock = clock;
    this.#length = length;
    this.#end = clock.now() + length;
  }

  /** Whether the request was answered because the time was up. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Milliseconds until the time is up, never below zero. */
  get remaining(): number {
    return Math.max(0, this.#end - this.#clock.now());
  }

  /** Aborts when told to. Made at the first use: few handlers look at it, and it costs more than all else here. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isAborted) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  abort(): void {
    this.#isAborted = true;
    this.#controller?.abort();
  }

  /** What `work`, which never rejects, resolves to, or, when the time is up first, what `late` gives. */
  bound<T>(work: Promise<T>, late: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.setTimer(() => {
        this.#isOver = true;
        resolve(late());
      }, this.#length);
      work.then((value) => {
        cancel();
        resolve(value);
      }, reject);
    });
  }
}
