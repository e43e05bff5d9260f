import type { Clock } from '../../foundation/clock.js';
import { soon } from './machine-clock.js';

/** The background work of a workspace. Callers can wait for it, and its errors are not lost. */
export class Work {
  readonly #onFailure: (error: unknown) => void;
  /** Tasks that go on without waiting for the clock. */
  #underWay = 0;
  #next: (() => Promise<void>)[] = [];
  #waiting: (() => void)[] = [];
  #closed = false;

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /** Whether no task runs, except those that wait for the clock. */
  get isIdle(): boolean {
    return this.#underWay === 0;
  }

  /** Starts the task after the current code, so that the response is sent first. */
  start(task: () => Promise<void>): void {
    if (this.#closed) return;
    this.#underWay += 1;
    this.#next.push(task);
    if (this.#next.length === 1) soon(() => this.#startNext());
  }

  /** Counts other running work, too. */
  async during<T>(task: () => Promise<T>): Promise<T> {
    this.#underWay += 1;
    try {
      return await task();
    } finally {
      this.#leave();
    }
  }

  /** Starts a task at once, without waiting for it. */
  alongside(task: () => Promise<void>): void {
    if (this.#closed) return;
    this.#underWay += 1;
    void this.#run(task);
  }

  /**
   * Waits by the clock. Call it in a task. During the wait, the task does not count as running, because otherwise a caller
   * that waits for it could not advance the clock.
   */
  pause(clock: Clock, delay: number): Promise<void> {
    return this.waitFor((resume) => clock.setTimer(resume, delay));
  }

  /** Waits like `pause`, until `arm` calls its parameter, once. */
  async waitFor(arm: (resume: () => void) => void): Promise<void> {
    const waited = new Promise<void>((resolve) => {
      arm(() => {
        this.#underWay += 1;
        resolve();
      });
    });
    this.#leave();
    await waited;
  }

  /** Resolves when no work is running, including work that the tasks started. */
  async settled(): Promise<void> {
    while (this.#underWay > 0 && !this.#closed) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Starts no more work, and stops waiting for running work, which may never end. */
  close(): void {
    this.#closed = true;
    this.#tellWaiting();
  }

  #startNext(): void {
    const tasks = this.#next;
    this.#next = [];
    for (const task of tasks) void this.#run(task);
  }

  async #run(task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } catch (error) {
      this.#onFailure(error);
    } finally {
      this.#leave();
    }
  }

  #leave(): void {
    this.#underWay -= 1;
    if (this.#underWay === 0) this.#tellWaiting();
  }

  #tellWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

/** The requests that faults delay or stall. */
export class HeldRequests {
  readonly #breakOffs = new Set<() => void>();
  #ended = false;

  /** How many requests wait. */
  get size(): number {
    return this.#breakOffs.size;
  }

  /** Calls `breakOff` when the request must stop waiting, at once after the end. Returns a function that removes it. */
  add(breakOff: () => void): () => void {
    if (this.#ended) breakOff();
    else this.#breakOffs.add(breakOff);
    return () => void this.#breakOffs.delete(breakOff);
  }

  /** Aborts all waiting requests before a restore. */
  breakOff(): void {
    for (const breakOff of this.#breakOffs) breakOff();
    this.#breakOffs.clear();
  }

  /** Aborts all waiting requests, and every later one at once. */
  end(): void {
    this.#ended = true;
    this.breakOff();
  }
}
