import { type Clock, steadyTime } from '../../foundation/clock.js';
import { onAbort } from '../../foundation/listeners.js';

/** What a {@link Deadline} needs. */
export interface DeadlineOptions {
  readonly clock: Clock;
  /** In milliseconds. */
  readonly timeout: number;
  /** The caller's signal, which ends the wait, too. */
  readonly signal?: AbortSignal | undefined;
  /** Creates the error for a passed deadline. */
  readonly expired: () => Error;
}

/**
 * The deadline of a call, combined with the caller's signal. It bounds everything that the call waits for, even work that ignores its
 * signal. It begins when it is created.
 */
export class Deadline {
  readonly #clock: Clock;
  readonly #end: number;
  readonly #controller = new AbortController();
  /** Rejects what waits. */
  readonly #waiting = new Set<(reason: unknown) => void>();
  readonly #cancelTimer: () => void;
  readonly #leaveCaller: (() => void) | undefined;

  constructor({ clock, timeout, signal, expired }: DeadlineOptions) {
    this.#clock = clock;
    this.#end = steadyTime(clock) + timeout;
    this.#leaveCaller = signal && onAbort(signal, () => this.#interrupt(signal.reason));
    this.#cancelTimer = clock.setTimer(() => this.#interrupt(expired()), timeout);
  }

  /** Aborts when the deadline passes or the caller aborts. The call rejects with its reason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Milliseconds until the deadline. */
  remaining(): number {
    return this.#end - steadyTime(this.#clock);
  }

  /** Waits for `work`. Rejects with the signal's reason if the signal aborts first. */
  bound<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.signal.aborted) reject(this.signal.reason);
      this.#waiting.add(reject);
      // What a program without types passes, such as a store, may return no promise.
      Promise.resolve(work)
        .then(resolve, reject)
        .finally(() => this.#waiting.delete(reject));
    });
  }

  /** Waits `delay` milliseconds, or until `cutShort` aborts. Rejects with the signal's reason if the signal aborts first. */
  async wait(delay: number, cutShort?: AbortSignal): Promise<void> {
    let cancelDelay = () => {};
    let leave = () => {};
    const over = new Promise<void>((resolve) => {
      cancelDelay = this.#clock.setTimer(resolve, delay);
      if (cutShort) leave = onAbort(cutShort, resolve);
      if (cutShort?.aborted) resolve();
    });
    try {
      await this.bound(over);
    } finally {
      cancelDelay();
      leave();
    }
  }

  /** Aborts what still runs, because the call has failed. */
  abandon(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** Stops the deadline, once the call has ended. */
  dispose(): void {
    this.#cancelTimer();
    this.#leaveCaller?.();
  }

  #interrupt(reason: unknown): void {
    this.#controller.abort(reason);
    for (const reject of this.#waiting) reject(reason);
  }
}
