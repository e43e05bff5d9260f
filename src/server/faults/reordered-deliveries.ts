import type { Clock } from '../../foundation/clock.js';
import type { Work } from '../time/work.js';

/** Deliveries that wait to be overtaken, at most one to a subscription. */
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
   * Within a task: waits until another delivery to the subscription was attempted, or so many milliseconds by the clock.
   * Where one is held back already, this is the one that overtakes it.
   */
  async hold(subscriptionId: string, atMost: number): Promise<void> {
    if (this.#bySubscription.has(subscriptionId)) return;
    await this.#work.pause(this.#untilOvertaken(subscriptionId), atMost);
  }

  /** Lets the one go on that another has overtaken. */
  overtake(subscriptionId: string): void {
    this.#bySubscription.get(subscriptionId)?.();
  }

  /** Lets go of all of them; none goes on. */
  forget(): void {
    this.#bySubscription.clear();
  }

  /** The clock, but that its timer fires early for one that is overtaken. */
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
