import { onAbort } from '../../foundation/abort-listeners.js';
import { type Clock, steadyTime } from '../../foundation/clock.js';

/**
 * The deadline of a call, combined with the caller's signal. It bounds everything that the call waits for, even work that
 * ignores its signal. Disposing of it removes the timer and the listeners.
 */
export class Deadline {
  readonly #clock: Clock;
  readonly #end: number;
  readonly #controller = new AbortController();
  readonly #cancelTimer: () => void;
  readonly #leaveCaller: (() => void) | undefined;
  #rejectBounded: (reason: unknown) => void = () => {};

  /** @param expired Creates the error for a passed deadline. */
  constructor(clock: Clock, timeout: number, caller: AbortSignal | undefined, expired: () => Error) {
    this.#clock = clock;
    this.#end = steadyTime(clock) + timeout;
    this.#leaveCaller = caller && onAbort(caller, () => this.#interrupt(caller.reason));
    this.#cancelTimer = clock.setTimer(() => this.#interrupt(expired()), timeout);
  }

  /** Aborts when the deadline passes or the caller aborts. The call rejects with its reason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Milliseconds until the deadline. */
  get remaining(): number {
    return this.#end - steadyTime(this.#clock);
  }

  /** Waits for `work`, one at a time. Rejects with the signal's reason if the signal aborts first. */
  bound<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#rejectBounded = reject;
      work.then(resolve, reject);
      if (this.signal.aborted) reject(this.signal.reason);
    });
  }

  /**
   * Waits `delay` milliseconds, or until `cutShort` aborts. Rejects with the signal's reason if the signal aborts first.
   */
  async wait(delay: number, cutShort: AbortSignal | undefined): Promise<void> {
    let cancelTimer = () => {};
    let leave = () => {};
    const over = new Promise<void>((resolve) => {
      cancelTimer = this.#clock.setTimer(resolve, delay);
      if (cutShort) leave = onAbort(cutShort, resolve);
      if (cutShort?.aborted) resolve();
    });
    try {
      await this.bound(over);
    } finally {
      cancelTimer();
      leave();
    }
  }

  /** Stops the deadline, once the call has ended. */
  dispose(): void {
    this.#cancelTimer();
    this.#leaveCaller?.();
  }

  #interrupt(reason: unknown): void {
    this.#controller.abort(reason);
    this.#rejectBounded(reason);
  }
}
