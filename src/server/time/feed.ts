import type { Clock } from '../../foundation/clock.js';
import { onAbort } from '../../foundation/listeners.js';
import { type Duration, toMilliseconds } from './duration.js';

/** The reader of a feed. */
export interface Reader {
  /** Aborts when the reader disconnects. */
  readonly gone: AbortSignal;
  /** How long nothing must happen before the reader gets `undefined`, by the machine's clock. Default: forever. */
  readonly idleAfter?: Duration | undefined;
}

/**
 * Items that a reader gets at its own pace, until it disconnects or the feed ends. It is not a generator, because a generator cannot
 * be ended while it waits.
 */
export class Feed<Item> implements AsyncIterableIterator<Item | undefined, undefined> {
  readonly #machine: Clock;
  readonly #idleAfter: number | undefined;
  readonly #take: () => Item | undefined;
  readonly #leaving: (() => void)[] = [];
  #isOver = false;
  #last: Item | undefined;

  /** @param take - Removes and returns the next item, if there is one. */
  constructor(machine: Clock, { gone, idleAfter }: Reader, take: () => Item | undefined) {
    this.#machine = machine;
    this.#idleAfter = idleAfter === undefined ? undefined : toMilliseconds(idleAfter);
    this.#take = take;
    this.whenOver(onAbort(gone, () => this.end()));
    if (gone.aborted) this.end();
  }

  /** Takes the next item, if the reader waits for one. Call it when there may be one. */
  wake = (): void => {};

  /** Calls `leave` at the end of the feed: at once, if it has ended. */
  whenOver(leave: () => void): void {
    if (this.#isOver) leave();
    else this.#leaving.push(leave);
  }

  /** Ends the feed. The reader gets no more items but the `last`. */
  end(last?: Item): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#last = last;
    this.wake();
    for (const leave of this.#leaving) leave();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Item | undefined, undefined>> {
    for (let isIdle = false; ; isIdle = await this.#becomesIdle()) {
      const value = this.#isOver ? this.#last : this.#take();
      this.#last = undefined;
      if (value !== undefined) return { done: false, value };
      if (this.#isOver) return { done: true, value: undefined };
      if (isIdle) return { done: false, value: undefined };
    }
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.end();
    return { done: true, value: undefined };
  }

  /** Waits until something happens. True if nothing happened in time. */
  async #becomesIdle(): Promise<boolean> {
    let cancelTimer = () => {};
    const isIdle = await new Promise<boolean>((resolve) => {
      this.wake = () => resolve(false);
      if (this.#idleAfter !== undefined)
        cancelTimer = this.#machine.setTimer(() => resolve(true), this.#idleAfter);
    });
    cancelTimer();
    return isIdle;
  }
}
