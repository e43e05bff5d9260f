import type { Clock } from '../../foundation/clock.js';
import type { ListenerAttempt, ListenerOccurrence } from '../model/listener.js';

/** One connection of a listener: what it still has to read. Holds no more than the attempts that are under way. */
export class ListenerConnection implements AsyncIterator<ListenerOccurrence, undefined> {
  readonly #machine: Clock;
  readonly #idleAfter: number;
  readonly #onEnd: () => void;
  /** By attempt. Made when it is read, because the time that is left is part of it. */
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

  /** Takes back an attempt that was answered, in case the listener was about to be offered it again. */
  forget(attemptId: string): void {
    this.#unread.delete(attemptId);
  }

  /** Takes back an attempt that nobody answered. The listener is told only if it has read of it. */
  takeBack(attemptId: string, error: string): void {
    if (this.#unread.delete(attemptId)) return;
    this.#unread.set(attemptId, () => ({ kind: 'ended', attemptId, error }));
    this.#wake();
  }

  /** Ends the connection after it was told that the listener is removed. */
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

  /** Waits until something happens. True if nothing did. */
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
