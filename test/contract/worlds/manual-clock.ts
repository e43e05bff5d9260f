import type { Clock } from 'messaging-automation';

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

/** A machine's clock that stands still until it is moved. */
export class ManualClock implements Clock {
  readonly #timers = new Set<Timer>();
  #now = Date.parse('2026-01-02T03:04:05.678Z');

  now(): number {
    return this.#now;
  }

  setTimer(callback: () => void, delay: number): () => void {
    const timer = { due: this.#now + delay, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Moves the time on and fires what falls due. */
  advance(milliseconds: number): void {
    this.#now += milliseconds;
    for (const timer of this.#timers) {
      if (timer.due > this.#now) continue;
      this.#timers.delete(timer);
      timer.callback();
    }
  }
}
