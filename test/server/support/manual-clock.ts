import type { Clock } from '../../../src/foundation/clock.js';
import { until } from '../../waiting.js';

/** The machine's clock in a test's hands: time passes when the test says so. */
export class ManualClock implements Clock {
  #now = Date.UTC(2026, 0, 1);
  readonly #timers = new Set<{ readonly due: number; readonly callback: () => void }>();

  now(): number {
    return this.#now;
  }

  setTimer(callback: () => void, delay: number): () => void {
    const timer = { due: this.#now + delay, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** How many timers wait. */
  get waiting(): number {
    return this.#timers.size;
  }

  /** Resolves when this many timers wait. */
  async waitFor(count: number): Promise<void> {
    await until(
      `${count} timers`,
      () => this.waiting === count,
      () => this.waiting,
    );
  }

  /** Lets this many milliseconds pass. */
  pass(milliseconds: number): void {
    this.#now += milliseconds;
    for (const timer of [...this.#timers]) {
      if (timer.due > this.#now) continue;
      this.#timers.delete(timer);
      timer.callback();
    }
  }
}
