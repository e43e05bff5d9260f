import type { Clock } from '../../foundation/clock.js';
import type { ListenerAttempt, ListenerOccurrence } from '../model/listener.js';

/** One connection of a listener: a queue of the items that the listener has not read. It only contains running attempts. */
export class ListenerConnection implements AsyncIterator<ListenerOccurrence, undefined> {
  readonly #machine: Clock;
  readonly #idleAfter: number;
  readonly #onEnd: () => void;
  /** The unread items by attempt id. Each is created when it is read, because it contains the remaining time. */
  readonly #unread = new Map<string, () => ListenerOccurrence>();
  #isFinished = false;
  #isOver = false;
  #wake = () => {};

  constructor(machine: Clock, idleAfter: number, onEnd: () => void) {
    this.#machine = machine;
    this.#idleAfter = idleAfter;
    this.#onEnd = onEnd;
  }

  offer(attemptId: string, attempt: () => ListenerAttempt): void {
    this.#unread.set(attemptId, () => ({ kind: 'attempt', attempt: attempt() }));
    this.#wake();
  }

  /** Removes an answered attempt from the queue, in case the listener would get it again. */
  forget(attemptId: string): void {
    this.#unread.delete(attemptId);
  }

  /** Withdraws an attempt that ended without an answer. The listener gets an `ended` item only if it has read the attempt. */
  takeBack(attemptId: string, error: string): void {
    if (this.#unread.delete(attemptId)) return;
    this.#unread.set(attemptId, () => ({ kind: 'ended', attemptId, error }));
    this.#wake();
  }

  /** Ends the connection after a `removed` item. */
  finish(): void {
    this.#isFinished = true;
    this.#unread.clear();
    this.#unread.set('', () => ({ kind: 'removed' }));
    this.#wake();
  }

  readonly end = (): void => {
    if (this.#isOver) return;
    this.#isOver = true;
    if (!this.#isFinished) this.#unread.clear();
    this.#wake();
    this.#onEnd();
  };

  async next(): Promise<IteratorResult<ListenerOccurrence, undefined>> {
    for (;;) {
      const [unread] = this.#unread;
      if (unread !== undefined) {
        const [attemptId, occurrence] = unread;
        this.#unread.delete(attemptId);
        return { done: false, value: occurrence() };
      }
      if (this.#isOver) return { done: true, value: undefined };
      if (await this.#becomesIdle()) return { done: false, value: { kind: 'idle' } };
    }
  }

  async return(): Promise<IteratorResult<ListenerOccurrence, undefined>> {
    this.end();
    return { done: true, value: undefined };
  }

  /** Waits until something happens. True if nothing happened in time. */
  async #becomesIdle(): Promise<boolean> {
    let cancelTimer = () => {};
    const isIdle = await new Promise<boolean>((resolve) => {
      this.#wake = () => resolve(false);
      cancelTimer = this.#machine.setTimer(() => resolve(true), this.#idleAfter);
    });
    cancelTimer();
    return isIdle;
  }
}
