import type { Clock } from '../../webhooks/index.js';
import { messageOf } from '../terminal/failures.js';

/** Options of a `StateKeeper`. */
export interface StateKeeperOptions {
  /** Reads the state as it is now. */
  readonly read: () => Promise<string>;
  /** Replaces the state that was written before. */
  readonly write: (text: string) => Promise<void>;
  /** Called when a write fails, and when one succeeds again. */
  readonly complain: (text: string) => void;
  readonly clock: Clock;
}

/** How long changes are collected before a write, in milliseconds. Together with the write it must take less than a second. */
const gathering = 250;

/** How long to wait after a failed write, in milliseconds. */
const recovery = 1_000;

/** Writes a state when it changes: within a second, one write at a time, and only if the text differs. */
export class StateKeeper {
  readonly #options: StateKeeperOptions;
  #written: string | undefined;
  #cancelTimer: (() => void) | undefined;
  #writing: Promise<void> | undefined;
  #changed = false;
  #failure: string | undefined;

  constructor(options: StateKeeperOptions) {
    this.#options = options;
  }

  /** Writes the state now. Rejects if the write fails. */
  async write(): Promise<void> {
    this.#changed = false;
    const text = await this.#options.read();
    if (text === this.#written) return;
    await this.#options.write(text);
    this.#written = text;
  }

  /** Schedules a write. */
  changed(): void {
    this.#changed = true;
    if (this.#writing === undefined) this.#schedule(this.#failure === undefined ? gathering : recovery);
  }

  /** Writes the last changes. Resolves to false if that failed. */
  async close(): Promise<boolean> {
    this.#unschedule();
    await this.#writing;
    this.#unschedule();
    await this.#attempt();
    return this.#failure === undefined;
  }

  #schedule(delay: number): void {
    this.#cancelTimer ??= this.#options.clock.setTimer(() => {
      this.#cancelTimer = undefined;
      this.#writing = this.#attempt().finally(() => {
        this.#writing = undefined;
        if (this.#changed) this.changed();
      });
    }, delay);
  }

  #unschedule(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  /** Never rejects: a disk that is full must not end the server. */
  async #attempt(): Promise<void> {
    try {
      await this.write();
      if (this.#failure !== undefined) this.#options.complain('The state is written again.\n');
      this.#failure = undefined;
    } catch (error) {
      this.#changed = true;
      const failure = messageOf(error);
      if (failure !== this.#failure) {
        this.#options.complain(
          `The state cannot be written: ${failure}\nUntil it is written again, changes are only in memory.\n`,
        );
      }
      this.#failure = failure;
    }
  }
}
