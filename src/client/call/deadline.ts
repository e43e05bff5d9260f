import type { Clock } from '../../foundation/clock.js';

/**
 * The one deadline of a call, joined with the caller's signal. It bounds whatever the call waits for, even
 * what takes no notice of a signal, and leaves nothing behind once disposed of.
 */
export class Deadline {
  readonly #clock: Clock;
  readonly #end: number;
  readonly #callerSignal: AbortSignal | undefined;
  readonly #controller = new AbortController();
  readonly #cancelTimer: () => void;
  #rejectBounded: (reason: unknown) => void = () => {};

  /** @param expired Makes the error for when the time is up. */
  constructor(clock: Clock, timeout: number, callerSignal: AbortSignal | undefined, expired: () => Error) {
    this.#clock = clock;
    this.#end = clock.now() + timeout;
    this.#callerSignal = callerSignal;
    callerSignal?.addEventListener('abort', this.#followCaller);
    this.#cancelTimer = clock.setTimer(() => this.#interrupt(expired()), timeout);
  }

  /** Aborts when the time is up or the caller aborts; its reason is what the call is to reject with. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Milliseconds until the time is up. */
  get remaining(): number {
    return this.#end - this.#clock.now();
  }

  /** Waits for `work`, one at a time; rejects with the signal's reason when that comes first. */
  bound<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.signal.throwIfAborted();
      this.#rejectBounded = reject;
      work.then(resolve, reject);
    });
  }

  /** Waits `delay` milliseconds; rejects with the signal's reason when that comes first. */
  async wait(delay: number): Promise<void> {
    let cancel = () => {};
    const over = new Promise<void>((resolve) => {
      cancel = this.#clock.setTimer(resolve, delay);
    });
    try {
      await this.bound(over);
    } finally {
      cancel();
    }
  }

  /** Ends the watch, once the call is over. */
  dispose(): void {
    this.#cancelTimer();
    this.#callerSignal?.removeEventListener('abort', this.#followCaller);
  }

  readonly #followCaller = () => this.#interrupt(this.#callerSignal?.reason);

  #interrupt(reason: unknown): void {
    this.#controller.abort(reason);
    this.#rejectBounded(reason);
  }
}
