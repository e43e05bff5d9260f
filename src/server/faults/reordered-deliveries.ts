import type { Clock } from '../../foundation/clock.js';
import type { Work } from '../time/work.js';

/** Delays deliveries until another one overtakes them. At most one per subscription waits. */
export class ReorderedDeliveries {
  readonly #work: Work;
  readonly #clock: Clock;
  readonly #bySubscription = new Map<string, () => void>();

  constructor(work: Work, clock: Clock) {
    this.#work = work;
    this.#clock = clock;
  }

  get any(): boolean {
    return this.#bySubscription.size > 0;
  }

  /**
   * Waits until another delivery to the subscription has been attempted, or until the timeout in milliseconds. Call it in a
   * task.
   * If a delivery already waits, this one overtakes it.
   */
  async hold(subscriptionId: string, atMost: number): Promise<void> {
    if (this.#bySubscription.has(subscriptionId)) return;
    await this.#work.pause(this.#untilOvertaken(subscriptionId), atMost);
  }

  /** Releases the delivery that another one overtook. */
  overtake(subscriptionId: string): void {
    this.#bySubscription.get(subscriptionId)?.();
  }

  /** Discards all waiting deliveries. */
  forget(): void {
    this.#bySubscription.clear();
  }

  /** A clock whose timer fires early for an overtaken delivery. */
  #untilOvertaken(subscriptionId: string): Clock {
    return {
      now: () => this.#clock.now(),
      setTimer: (callback, delay) => {
        const goOn = () => {
          cancelTimer();
          this.#bySubscription.delete(subscriptionId);
          callback();
        };
        const cancelTimer = this.#clock.setTimer(goOn, delay);
        this.#bySubscription.set(subscriptionId, goOn);
        return cancelTimer;
      },
    };
  }
}
