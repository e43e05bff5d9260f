import type { Clock } from 'messaging-automation';

interface Timer {
  readonly due: number;
  readonly callback: () => void;
  waiting: NodeJS.Timeout | undefined;
}

/** The clock of a process that stands still: the test says how long that was, and all that came due meanwhile happens when it goes on. */
export class JumpingClock implements Clock {
  #jumped = 0;
  readonly #timers = new Set<Timer>();

  now(): number {
    return Date.now() + this.#jumped;
  }

  monotonic(): number {
    return performance.now() + this.#jumped;
  }

  setTimer(callback: () => void, delay: number): () => void {
    const timer: Timer = { due: this.monotonic() + delay, callback, waiting: undefined };
    this.#timers.add(timer);
    this.#await(timer);
    return () => this.#cancel(timer);
  }

  jump(milliseconds: number): void {
    this.#jumped += milliseconds;
    for (const timer of this.#timers) this.#await(timer);
  }

  #await(timer: Timer): void {
    clearTimeout(timer.waiting);
    const fire = () => {
      this.#cancel(timer);
      timer.callback();
    };
    timer.waiting = setTimeout(fire, timer.due - this.monotonic());
  }

  #cancel(timer: Timer): void {
    clearTimeout(timer.waiting);
    this.#timers.delete(timer);
  }
}
