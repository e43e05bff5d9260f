import TinyQueue from 'tinyqueue';
import type { Clock } from '../../foundation/clock.js';
import { type Duration, toMilliseconds } from './duration.js';
import { type Instant, lastInstant, toEpochMilliseconds } from './instant.js';

/**
 * The clock of a workspace. Pass it to a webhook receiver under test, so that the receiver accepts deliveries after you advance
 * the time: `createWebhookReceiver({ secret, clock: server.clock })`.
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
export type ServerClock = Clock & {
  /** The workspace's time in milliseconds since the Unix epoch. */
  now(): number;
  /** Whether only `advance`, `set`, `runToIdle` and `advanceToNext` move the time. */
  readonly isFrozen: boolean;
  /** When the next waiting work is due, in milliseconds since the Unix epoch. Undefined if no work waits. */
  readonly next: number | undefined;
  /**
   * Calls `callback` once, after `delay` milliseconds of the workspace's time. A frozen clock only fires timers when you
   * advance it.
   *
   * @returns A function that cancels the timer. Calling it after the timer fired does nothing.
   */
  setTimer(callback: () => void, delay: number): () => void;
  /**
   * Advances the time and does all work that becomes due, in order. The work of each due time ends before the time advances
   * to the next.
   *
   * @param duration Milliseconds, or a string such as `'10s'`.
   * @throws TypeError if the duration is invalid or negative, RangeError if the new time is after the year 9899.
   */
  advance(duration: Duration): Promise<void>;
  /**
   * Advances the time to an instant and does all work that becomes due, in order.
   *
   * @param instant A `Date`, milliseconds since the Unix epoch, or an ISO 8601 string with its time zone.
   * @throws TypeError if the instant is invalid, RangeError if it is in the past.
   */
  set(instant: Instant): Promise<void>;
  /**
   * Advances the time until no work waits: no delivery retries, journey waits or simulated latencies.
   *
   * @throws Error after 10,000 steps, because the work seems endless.
   */
  runToIdle(): Promise<void>;
  /**
   * Advances the time to the next waiting work and does that work. Does nothing if no work waits.
   */
  advanceToNext(): Promise<void>;
  /**
   * Freezes the clock at the current time, and does the work that is due. From then on, the time only moves when you advance
   * it. Does nothing to a frozen clock.
   *
   * @example
   * ```ts
   * import { createReferenceServer } from 'messaging-automation/server';
   *
   * await using server = createReferenceServer();
   * await server.clock.freeze();
   * console.log(server.clock.isFrozen, server.clock.next); // true undefined
   * await server.clock.flow();
   * console.log(server.clock.isFrozen); // false
   * ```
   */
  freeze(): Promise<void>;
  /** Lets the time run with the machine's, from the current time on. Does nothing to a flowing clock. */
  flow(): Promise<void>;
};

interface Timer {
  readonly due: number;
  /** Timers with the same due time fire in the order in which they were set. */
  readonly order: number;
  /** Undefined after a cancel, because the heap can only remove its earliest timer quickly. */
  callback: (() => void) | undefined;
}

/** Whether a clock runs with the machine's, or only moves when it is advanced. */
export type ClockFlow = 'frozen' | 'flowing';

/** The position of a workspace's clock, from which it can resume. Times are milliseconds since the Unix epoch. */
export type ClockPosition =
  | { readonly flow: 'frozen'; readonly now: number }
  /** `ahead` is the difference to the machine's time, in milliseconds. */
  | { readonly flow: 'flowing'; readonly ahead: number };

/** Coordinates a clock with what is outside this process: the due times of records, and the clocks of other replicas. */
export interface SharedTime {
  /** Runs a move of the clock, and prevents moves by other replicas until it ends. */
  alone(move: () => Promise<void>): Promise<void>;
  /** Changes the position of the clock, for every replica. */
  change(change: () => void): Promise<void>;
  /** Returns the due time of the next work without a timer in this process. */
  next(): Promise<number | undefined>;
  /** Starts the due work that has no timer in this process. */
  startDue(): Promise<void>;
}

/** The time of a workspace that no other process shares: all waiting work has a timer in this process. */
export const unsharedTime: SharedTime = {
  alone: (move) => move(),
  change: async (change) => change(),
  next: async () => undefined,
  startDue: async () => {},
};

/** After this many steps, the run counts as endless. */
const stepsOfAnEndlessRun = 10_000;

/**
 * A clock that can be advanced. A flowing clock also runs with the machine's clock, a frozen one does not. A clock can change
 * from one to the other.
 */
export class SteerableClock implements ServerClock {
  readonly #source: Clock;
  readonly #settled: () => Promise<void>;
  readonly #onMove: () => void;
  readonly #shared: SharedTime;
  /** The last known result of `shared.next()`. */
  #nextElsewhere: number | undefined;
  #flowing: boolean;
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
   * @param settled - Resolves when all started work has ended.
   * @param start - The initial time, in epoch milliseconds. Default: the source's time.
   * @param onMove - Called after each move of the clock beyond the source's own movement, and when it freezes or flows.
   * @param shared - What moves with the clock outside this process.
   */
  constructor(
    source: Clock,
    flow: ClockFlow,
    settled: () => Promise<void>,
    start = source.now(),
    onMove = () => {},
    shared = unsharedTime,
  ) {
    this.#source = source;
    this.#settled = settled;
    this.#onMove = onMove;
    this.#shared = shared;
    this.#flowing = flow === 'flowing';
    this.#offset = this.#flowing ? start - source.now() : start;
  }

  now(): number {
    return this.#flowing ? this.#source.now() + this.#offset : this.#offset;
  }

  get position(): ClockPosition {
    return this.#flowing
      ? { flow: 'flowing', ahead: Math.round(this.#offset) }
      : { flow: 'frozen', now: Math.round(this.#offset) };
  }

  get isFrozen(): boolean {
    return !this.#flowing;
  }

  get next(): number | undefined {
    const dues = [this.#earliest()?.due, this.#nextElsewhere].filter((due) => due !== undefined);
    return dues.length === 0 ? undefined : Math.min(...dues);
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
    return this.#inTurn(async () => {
      const length = toMilliseconds(duration);
      // Until work that is due now has set its waits, the clock goes on: they may begin later than now.
      if (this.#flowing) await this.#settled();
      await this.#moveThrough(this.now() + length);
    });
  }

  /** Advances the time to a time that another move may have passed already, and does all work that is due then. */
  reach(time: number): Promise<void> {
    return this.#inTurn(() => this.#moveThrough(time));
  }

  set(instant: Instant): Promise<void> {
    return this.#inTurn(async () => {
      const target = toEpochMilliseconds(instant);
      if (target < this.now()) {
        const [wanted, now] = [target, this.now()].map((time) => new Date(time).toISOString());
        throw new RangeError(
          `The clock is at ${now} and cannot go back to ${wanted}. Set a later time, or use reset() or restore().`,
        );
      }
      await this.#moveThrough(target);
    });
  }

  runToIdle(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#settled();
      for (let step = 0; step < stepsOfAnEndlessRun; step += 1) {
        const next = await this.#nextDue();
        if (next === undefined) return;
        await this.#moveThrough(next);
      }
      throw new Error(
        `The clock advanced ${stepsOfAnEndlessRun} times, but work still becomes due. It may be endless: use advance() instead.`,
      );
    });
  }

  advanceToNext(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#settled();
      const next = await this.#nextDue();
      if (next !== undefined) await this.#moveThrough(next);
    });
  }

  freeze(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#shared.change(() => this.#become('frozen'));
      // The machine's timer may be late, so do the work that was due before the clock stopped.
      await this.#moveThrough(this.now());
    });
  }

  flow(): Promise<void> {
    return this.#inTurn(() => this.#shared.change(() => this.#become('flowing')));
  }

  /** Cancels every timer and accepts no more, so that the process can exit. */
  stop(): void {
    this.#stopped = true;
    while (this.#timers.length > 0) this.#timers.pop();
    this.#arm();
  }

  /** Refuses every further move with the error that `refuse` throws. */
  end(refuse: () => void): void {
    this.#refuse = refuse;
  }

  /** Sets the time without doing any due work, for a restore. Default `flow`: unchanged. */
  jump(time: number, flow: ClockFlow = this.position.flow): void {
    while (this.#timers.length > 0) this.#timers.pop();
    this.#become(flow);
    this.#offset += time - this.now();
    this.#onMove();
    this.#arm();
  }

  /** Applies a position that another replica has set, and does the work that is due. */
  follow(position: ClockPosition): void {
    const now = this.position;
    const isSame = now.flow === position.flow && placeOf(now) === placeOf(position);
    if (isSame || this.#stopped) return;
    this.#flowing = position.flow === 'flowing';
    this.#offset = placeOf(position);
    this.#onMove();
    this.#fireDue();
    this.#arm();
  }

  /** Updates `next` with the due time of the next work without a timer in this process. */
  async lookAhead(): Promise<void> {
    this.#nextElsewhere = await this.#shared.next();
  }

  #become(flow: ClockFlow): void {
    const flowing = flow === 'flowing';
    if (flowing === this.#flowing) return;
    const now = this.now();
    this.#flowing = flowing;
    this.#offset = flowing ? now - this.#source.now() : now;
    this.#onMove();
    this.#arm();
  }

  /** Runs one move at a time, because concurrent moves would mix their times. */
  #inTurn(move: () => Promise<void>): Promise<void> {
    const turn = this.#advancing.then(() => {
      this.#refuse();
      return this.#shared.alone(move);
    });
    this.#advancing = turn.catch(() => {});
    return turn;
  }

  async #moveThrough(target: number): Promise<void> {
    if (target > lastInstant) throw new RangeError('The clock cannot be moved beyond the year 9899.');
    await this.#settled();
    for (let due = await this.#nextDue(); due !== undefined && due <= target; due = await this.#nextDue()) {
      await this.#moveTo(due);
      if (this.#earliest()?.due === due) this.#fireEarliest();
      await this.#shared.startDue();
      await this.#settled();
    }
    await this.#moveTo(target);
    this.#arm();
  }

  async #nextDue(): Promise<number | undefined> {
    await this.lookAhead();
    return this.next;
  }

  #fireEarliest(): void {
    this.#timers.pop()?.callback?.();
  }

  #fireDue(): void {
    for (let next = this.#earliest(); next !== undefined && next.due <= this.now(); next = this.#earliest()) {
      this.#fireEarliest();
    }
  }

  async #moveTo(time: number): Promise<void> {
    // A flowing clock may already be past the time, and a clock never goes back.
    if (time <= this.now()) return;
    await this.#shared.change(() => {
      const step = time - this.now();
      if (step <= 0) return;
      this.#offset += step;
      this.#onMove();
    });
  }

  #earliest(): Timer | undefined {
    for (let next = this.#timers.peek(); next !== undefined; next = this.#timers.peek()) {
      if (next.callback !== undefined) return next;
      this.#timers.pop();
    }
    return undefined;
  }

  /** Schedules a wake-up of a flowing clock for its next timer. */
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
        this.#fireDue();
        this.#arm();
      },
      Math.max(0, wakesAt - this.#source.now()),
    );
  }
}

/** Returns the time of a frozen clock, or the offset of a flowing one. */
function placeOf(position: ClockPosition): number {
  return position.flow === 'frozen' ? position.now : position.ahead;
}
