import TinyQueue from 'tinyqueue';
import type { Clock } from '../../foundation/clock.js';
import { type Duration, toMilliseconds } from './duration.js';
import { type Instant, lastInstant, toEpochMilliseconds } from './instant.js';

/**
 * The time a workspace of the reference server lives by. It is a `Clock`, so a webhook receiver under test can live by it
 * too: `createWebhookReceiver({ secret, clock: server.clock })` takes the deliveries of a time that was moved on.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({ clock: 'frozen', now: '2026-01-01T09:00:00Z' });
 * await server.clock.advance('1m');
 * console.log(new Date(server.clock.now()).toISOString()); // 2026-01-01T09:01:00.000Z
 * ```
 */
export interface ServerClock extends Clock {
  /** The workspace's time in milliseconds since the Unix epoch. */
  now(): number;
  /**
   * Calls `callback` once, when the workspace's time is `delay` milliseconds on. With a frozen clock that is when a test
   * moves it there.
   *
   * @returns A function that cancels the timer; calling it after the timer fired does nothing.
   */
  setTimer(callback: () => void, delay: number): () => void;
  /**
   * Moves the time on and runs everything that falls due on the way, in order: each step has settled before
   * the time moves to the next.
   *
   * @param duration Milliseconds, or text such as `'10s'`.
   * @throws TypeError where that is no duration of zero or more, RangeError where it leads beyond the year 9999.
   */
  advance(duration: Duration): Promise<void>;
  /**
   * Moves the time on to an instant, in the same way.
   *
   * @param instant A `Date`, milliseconds since the Unix epoch, or ISO 8601 text with its time zone.
   * @throws TypeError where that is no instant, RangeError where it has passed: no clock goes back.
   */
  set(instant: Instant): Promise<void>;
  /**
   * Moves the time on for as long as anything waits for it: retries of deliveries, waits of journeys, simulated
   * latencies. Nothing waits when it resolves.
   *
   * @throws Error after 10,000 steps, for what goes on for ever would never be idle.
   */
  runToIdle(): Promise<void>;
}

interface Timer {
  readonly due: number;
  /** Timers of one time fire in the order in which they were set. */
  readonly order: number;
  /** Undefined once it was cancelled: a heap finds its earliest timer quickly, and no other. */
  callback: (() => void) | undefined;
}

/** How a workspace's clock stands: what it takes to have it go on. Times are milliseconds since the Unix epoch. */
export type ClockPosition =
  | { readonly flow: 'frozen'; readonly now: number }
  /** `ahead` is how far it is ahead of the machine's, in milliseconds. */
  | { readonly flow: 'flowing'; readonly ahead: number };

/** How many steps it takes to call what runs endless. */
const stepsOfAnEndlessRun = 10_000;

/**
 * A clock that can be moved by hand. Frozen, it moves in no other way; flowing, it runs with the machine's
 * clock as well, so that the same server serves people and tests.
 */
export class SteerableClock implements ServerClock {
  readonly #source: Clock;
  readonly #settled: () => Promise<void>;
  readonly #onMove: () => void;
  readonly #flowing: boolean;
  readonly #timers = new TinyQueue<Timer>([], (a, b) => a.due - b.due || a.order - b.order);
  #timersSet = 0;
  #cancelWakeUp = () => {};
  #wakesAt: number | undefined;
  #advancing: Promise<unknown> = Promise.resolve();
  #stopped = false;
  #refuse = () => {};
  /** What to add to the source's time; for a frozen clock, the time itself. */
  #offset: number;

  /**
   * @param source - The machine's clock.
   * @param settled - Resolves when all that was started has ended.
   * @param start - The time to begin at, in epoch milliseconds; the source's unless told.
   * @param onMove - Is told when the clock was moved, by more than the source moves it.
   */
  constructor(
    source: Clock,
    flow: 'flowing' | 'frozen',
    settled: () => Promise<void>,
    start = source.now(),
    onMove = () => {},
  ) {
    this.#source = source;
    this.#settled = settled;
    this.#onMove = onMove;
    this.#flowing = flow === 'flowing';
    this.#offset = this.#flowing ? start - source.now() : start;
  }

  now(): number {
    return this.#flowing ? this.#source.now() + this.#offset : this.#offset;
  }

  get position(): ClockPosition {
    return this.#flowing
      ? { flow: 'flowing', ahead: Math.round(this.#offset) }
      : { flow: 'frozen', now: this.#offset };
  }

  setTimer(callback: () => void, delay: number): () => void {
    if (this.#stopped) return () => {};
    const timer: Timer = { due: this.now() + delay, order: this.#timersSet, callback };
    this.#timersSet += 1;
    this.#timers.push(timer);
    this.#arm();
    return () => {
      timer.callback = undefined;
      this.#arm();
    };
  }

  advance(duration: Duration): Promise<void> {
    return this.#inTurn(() => {
      const target = this.now() + toMilliseconds(duration);
      if (target > lastInstant) throw new RangeError('The clock cannot be moved beyond the year 9999.');
      return this.#moveThrough(target);
    });
  }

  set(instant: Instant): Promise<void> {
    return this.#inTurn(async () => {
      const target = toEpochMilliseconds(instant);
      if (target < this.now()) {
        const [wanted, now] = [target, this.now()].map((time) => new Date(time).toISOString());
        throw new RangeError(
          `The clock stands at ${now} and cannot be set back to ${wanted}: what has happened stays.`,
        );
      }
      await this.#moveThrough(target);
    });
  }

  runToIdle(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#settled();
      for (let step = 0; step < stepsOfAnEndlessRun; step += 1) {
        const next = this.#earliest();
        if (next === undefined) return;
        await this.#moveThrough(next.due);
      }
      throw new Error(
        `The clock was moved on ${stepsOfAnEndlessRun} times and things still fall due; they may go on for ever.`,
      );
    });
  }

  /** Forgets every timer and takes no more, so that nothing keeps the process alive. */
  stop(): void {
    this.#stopped = true;
    while (this.#timers.length > 0) this.#timers.pop();
    this.#arm();
  }

  /** Is moved no more: whoever tries is refused by what `refuse` throws. */
  end(refuse: () => void): void {
    this.#refuse = refuse;
  }

  /** Moves the time without running anything that falls due, for a workspace that is put back to another time. */
  jump(time: number): void {
    this.#offset += time - this.now();
    this.#onMove();
    while (this.#timers.length > 0) this.#timers.pop();
    this.#arm();
  }

  /** One movement after the other: two at once would share their time. */
  #inTurn(move: () => Promise<void>): Promise<void> {
    const turn = this.#advancing.then(() => {
      this.#refuse();
      return move();
    });
    this.#advancing = turn.catch(() => {});
    return turn;
  }

  async #moveThrough(target: number): Promise<void> {
    await this.#settled();
    for (let next = this.#earliest(); next !== undefined && next.due <= target; next = this.#earliest()) {
      this.#moveTo(next.due);
      this.#fireEarliest();
      await this.#settled();
    }
    this.#moveTo(target);
    this.#arm();
  }

  #fireEarliest(): void {
    this.#timers.pop()?.callback?.();
  }

  #moveTo(time: number): void {
    const step = time - this.now();
    // A flowing clock may have passed the time by itself, and no clock goes back.
    if (step <= 0) return;
    this.#offset += step;
    this.#onMove();
  }

  #earliest(): Timer | undefined {
    for (let next = this.#timers.peek(); next !== undefined; next = this.#timers.peek()) {
      if (next.callback !== undefined) return next;
      this.#timers.pop();
    }
    return undefined;
  }

  /** Has the source wake a flowing clock when its next timer is due. */
  #arm(): void {
    const next = this.#flowing ? this.#earliest() : undefined;
    const wakesAt = next === undefined ? undefined : next.due - this.#offset;
    if (wakesAt === this.#wakesAt) return;
    this.#cancelWakeUp();
    this.#cancelWakeUp = () => {};
    this.#wakesAt = wakesAt;
    if (wakesAt === undefined) return;
    this.#cancelWakeUp = this.#source.setTimer(
      () => {
        this.#wakesAt = undefined;
        for (let due = this.#earliest(); due !== undefined && due.due <= this.now(); due = this.#earliest()) {
          this.#fireEarliest();
        }
        this.#arm();
      },
      Math.max(0, wakesAt - this.#source.now()),
    );
  }
}
