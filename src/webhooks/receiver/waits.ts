import { atMost, type Clock, steadyTime } from '../../foundation/clock.js';

/** One wait, and the one that ends before it. */
interface Wait {
  readonly onEnd: () => void;
  /** By the steady time of the clock. */
  readonly end: number;
}

/**
 * Waits of one length. They end in the order in which they begin, so that one timer serves all of them: creating a timer for each delivery
 * takes longer than most handlers. It has no timer while nothing waits.
 */
class WaitQueue {
  readonly #clock: Clock;
  readonly #length: number;
  /** In the order in which they end. */
  readonly #waits = new Set<Wait>();
  /** The wait for which the timer was set. It may have been cancelled. */
  #timed: Wait | undefined;
  #cancelTimer = () => {};

  constructor(clock: Clock, length: number) {
    this.#clock = clock;
    this.#length = length;
  }

  add(onEnd: () => void, since: number): () => void {
    const wait = { onEnd, end: since + this.#length };
    this.#waits.add(wait);
    if (this.#timed === undefined) this.#setTimer(wait);
    return () => {
      this.#waits.delete(wait);
      if (this.#waits.size === 0) this.#stopTimer();
    };
  }

  #setTimer(first: Wait): void {
    this.#timed = first;
    const left = first.end - steadyTime(this.#clock);
    // A clock without a steady time may have been set.
    const delay = Math.min(Math.max(left, 0), this.#length);
    this.#cancelTimer = this.#clock.setTimer(() => this.#endWaits(first), delay);
  }

  #stopTimer(): void {
    this.#cancelTimer();
    this.#timed = undefined;
  }

  /** Ends the wait of the timer, whatever the clock says, and all others whose time is up. They may begin new waits. */
  #endWaits(timed: Wait): void {
    for (const wait of this.#waits) {
      if (wait !== timed && wait.end > steadyTime(this.#clock)) break;
      this.#waits.delete(wait);
      wait.onEnd();
    }
    this.#stopTimer();
    const [next] = this.#waits;
    if (next !== undefined) this.#setTimer(next);
  }
}

/** The waits of a receiver: a queue for each length of time. */
export class TimedWaits {
  readonly clock: Clock;
  readonly #queues = new Map<number, WaitQueue>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** A time that does not jump when the machine's clock is set, in milliseconds. */
  now(): number {
    return steadyTime(this.clock);
  }

  /**
   * Calls `onEnd` once, when the milliseconds have passed.
   *
   * @param since When the wait began, no earlier than those of this length before it. Default: now.
   * @returns A function that cancels the wait.
   */
  start(milliseconds: number, onEnd: () => void, since = this.now()): () => void {
    let queue = this.#queues.get(milliseconds);
    if (queue === undefined) {
      queue = new WaitQueue(this.clock, milliseconds);
      this.#queues.set(milliseconds, queue);
    }
    return queue.add(onEnd, since);
  }

  /** Waits for some work. If it is not done after the milliseconds, returns what `late` returns, or rejects with what it throws. */
  atMost<Done, Late>(
    milliseconds: number,
    work: Promise<Done>,
    late: () => Late | Promise<Late>,
  ): Promise<Done | Late> {
    const setTimer = (onEnd: () => void, delay: number) => this.start(delay, onEnd);
    return atMost({ setTimer }, milliseconds, work, late);
  }

  /** Waits for the milliseconds, or until `change` resolves. */
  pause(milliseconds: number, change?: Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.start(milliseconds, resolve);
      change?.then(() => {
        cancel();
        resolve();
      });
    });
  }
}
