import { onAbort } from '../../foundation/abort-listeners.js';
import { type Clock, steadyTime } from '../../foundation/clock.js';

/**
 * The one deadline of a call, joined with the caller's signal. It bounds whatever the call waits for, even work that
 * ignores its signal, and leaves nothing behind once disposed of.
 */
export class Deadline {
  readonly #clock: Clock;
  readonly #end: number;
  readonly #controller = new AbortController();
  readonly #cancelTimer: () => void;
  readonly #leaveCaller: (() => void) | undefined;
  #rejectBounded: (reason: unknown) => void = () => {};

  /** @param expired Makes the error for when the time is up. */
  constructor(clock: Clock, timeout: number, caller: AbortSignal | undefined, expired: () => Error) {
    this.#clock = clock;
    this.#end = steadyTime(clock) + timeout;
    this.#leaveCaller = caller && onAbort(caller, () => this.#interrupt(caller.reason));
    this.#cancelTimer = clock.setTimer(() => this.#interrupt(expired()), timeout);
  }

  /** Aborts when the time is up or the caller aborts; its reason is what the call is to reject with. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Milliseconds until the time is up. */
  get remaining(): number {
    return this.#end - steadyTime(this.#clock);
  }

  /** Waits for `work`, one at a time; rejects with the signal's reason when that comes first. */
  bound<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#rejectBounded = reject;
      work.then(resolve, reject);
      if (this.signal.aborted) reject(this.signal.reason);
    });
  }

  /**
   * Waits `delay` milliseconds, or until `cutShort` aborts; rejects with the signal's reason when that comes first.
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

  /** Ends the watch, once the call is over. */
  dispose(): void {
    this.#cancelTimer();
    this.#leaveCaller?.();
  }

  #interrupt(reason: unknown): void {
    this.#controller.abort(reason);
    this.#rejectBounded(reason);
  }
}
