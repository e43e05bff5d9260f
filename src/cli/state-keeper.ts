import { messageOf } from './message-of.js';

/** What a state keeper works with. */
export interface StateKeeperOptions {
  /** Reads the state as it is now. */
  readonly read: () => Promise<string>;
  /** Keeps it, in the place of what was kept before. */
  readonly write: (text: string) => Promise<void>;
  /** Is told when the state cannot be kept, and when it can be again. */
  readonly complain: (text: string) => void;
  /** Calls back once, after so many milliseconds; returns what cancels it. */
  readonly setTimer?: (callback: () => void, delay: number) => () => void;
}

/** How long changes are gathered before they are written. With the writing itself, it has to fit into a second. */
const gathering = 250;

/** How long after a failure it is tried again. */
const recovery = 1_000;

/** Writes a state as it changes: within a second, one write at a time, and nothing where nothing changed. */
export class StateKeeper {
  readonly #options: Required<StateKeeperOptions>;
  #written: string | undefined;
  #cancelTimer: (() => void) | undefined;
  #writing: Promise<void> | undefined;
  #changed = false;
  #failure: string | undefined;

  constructor(options: StateKeeperOptions) {
    this.#options = { setTimer: setTimerOfNode, ...options };
  }

  /** Writes the state now. Rejects where that fails. */
  async write(): Promise<void> {
    this.#changed = false;
    const text = await this.#options.read();
    if (text === this.#written) return;
    await this.#options.write(text);
    this.#written = text;
  }

  /** Has a change written soon. */
  changed(): void {
    this.#changed = true;
    if (this.#writing === undefined) this.#schedule(this.#failure === undefined ? gathering : recovery);
  }

  /** Writes what is not written yet, for the last time. False where it could not be written. */
  async close(): Promise<boolean> {
    this.#unschedule();
    await this.#writing;
    this.#unschedule();
    await this.#attempt();
    return this.#failure === undefined;
  }

  #schedule(delay: number): void {
    this.#cancelTimer ??= this.#options.setTimer(() => {
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
      if (this.#failure !== undefined) this.#options.complain('The state can be written again, and is.\n');
      this.#failure = undefined;
    } catch (error) {
      this.#changed = true;
      const failure = messageOf(error);
      if (failure !== this.#failure) {
        this.#options.complain(
          `The state cannot be written: ${failure}\nUntil it can be, what changes is in memory alone.\n`,
        );
      }
      this.#failure = failure;
    }
  }
}

function setTimerOfNode(callback: () => void, delay: number): () => void {
  const timer = setTimeout(callback, delay);
  return () => clearTimeout(timer);
}
