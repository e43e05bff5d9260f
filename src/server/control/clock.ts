import type { Clock } from '../../foundation/clock.js';
import { type Duration, toMilliseconds } from './duration.js';

/**
 * The time the reference server lives by.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({ clock: 'frozen' });
 * const before = server.clock.now();
 * await server.clock.advance('1m');
 * console.log(server.clock.now() - before); // 60000
 * ```
 */
export interface ServerClock {
  /** The server's time in milliseconds since the Unix epoch. */
  now(): number;
  /**
   * Moves the time on and runs everything that falls due on the way, in order: each step has settled before
   * the time moves to the next.
   *
   * @param duration Milliseconds, or text such as `'10s'`.
   * @throws TypeError where that is no duration of zero or more.
   */
  advance(duration: Duration): Promise<void>;
}

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

/**
 * A clock that can be moved by hand. Frozen, it moves in no other way; flowing, it runs with the machine's
 * clock as well, so that the same server serves people and tests.
 */
export class SteerableClock implements Clock, ServerClock {
  readonly #source: Clock;
  readonly #settled: () => Promise<void>;
  readonly #flowing: boolean;
  readonly #timers = new Set<Timer>();
  #cancelWakeUp = () => {};
  #advancing: Promise<unknown> = Promise.resolve();
  #stopped = false;
  /** Flowing: how far ahead of the source. Frozen: the time itself. */
  #offset: number;

  constructor(source: Clock, flow: 'flowing' | 'frozen', settled: () => Promise<void>) {
    this.#source = source;
    this.#settled = settled;
    this.#flowing = flow === 'flowing';
    this.#offset = this.#flowing ? 0 : source.now();
  }

  now(): number {
    return this.#flowing ? this.#source.now() + this.#offset : this.#offset;
  }

  setTimer(callback: () => void, delay: number): () => void {
    if (this.#stopped) return () => {};
    const timer: Timer = { due: this.now() + delay, callback };
    this.#timers.add(timer);
    this.#arm();
    return () => {
      this.#timers.delete(timer);
      this.#arm();
    };
  }

  async advance(duration: Duration): Promise<void> {
    const length = toMilliseconds(duration);
    // One after the other: two that ran at once would share their time.
    const turn = this.#advancing.then(() => this.#advanceBy(length));
    this.#advancing = turn.catch(() => {});
    return turn;
  }

  /** Forgets every timer and takes no more, so that nothing keeps the process alive. */
  stop(): void {
    this.#stopped = true;
    this.#timers.clear();
    this.#arm();
  }

  async #advanceBy(length: number): Promise<void> {
    const target = this.now() + length;
    await this.#settled();
    for (let next = this.#earliest(); next !== undefined && next.due <= target; next = this.#earliest()) {
      this.#moveTo(next.due);
      this.#fire(next);
      await this.#settled();
    }
    this.#moveTo(target);
    this.#arm();
  }

  #fire(timer: Timer): void {
    this.#timers.delete(timer);
    timer.callback();
  }

  #moveTo(time: number): void {
    // A flowing clock may have passed the time by itself, and no clock goes back.
    this.#offset += Math.max(0, time - this.now());
  }

  #earliest(): Timer | undefined {
    let earliest: Timer | undefined;
    for (const timer of this.#timers)
      if (earliest === undefined || timer.due < earliest.due) earliest = timer;
    return earliest;
  }

  /** Has the source wake a flowing clock when its next timer is due. */
  #arm(): void {
    this.#cancelWakeUp();
    this.#cancelWakeUp = () => {};
    const next = this.#flowing ? this.#earliest() : undefined;
    if (next === undefined) return;
    this.#cancelWakeUp = this.#source.setTimer(
      () => {
        for (let due = this.#earliest(); due !== undefined && due.due <= this.now(); due = this.#earliest()) {
          this.#fire(due);
        }
        this.#arm();
      },
      Math.max(0, next.due - this.now()),
    );
  }
}
