import type { ReferenceServer } from '../../server/index.js';
import { UsageError } from '../terminal/failures.js';
import type { Terminal } from '../terminal/terminal.js';
import { reasonWithAdvice, type StateFile } from './state-file.js';
import { piecesOf } from './state-text.js';

/** How long changes are collected before a write, in milliseconds. Together with the write it must take less than a second. */
const gathering = 250;

/** How long to wait after a failed write, in milliseconds. */
const recovery = 1_000;

/** Writes the state of a server to its file soon after each change: one write at a time. */
export class StateKeeper {
  readonly #server: Pick<ReferenceServer, 'state' | 'onChange'>;
  readonly #file: Pick<StateFile, 'path' | 'write'>;
  readonly #terminal: Pick<Terminal, 'clock' | 'complain'>;
  /** Whether the state has changed since the last write read it. */
  #isChanged = false;
  /** Why the last write failed. Undefined if it did not. */
  #failure: string | undefined;
  /** How long the last write took, in milliseconds. */
  #took = 0;
  #writing = Promise.resolve();
  /** Cancels the next write, if one is due. */
  #cancelNext: (() => void) | undefined;
  #isEnded = false;

  constructor(
    server: Pick<ReferenceServer, 'state' | 'onChange'>,
    file: Pick<StateFile, 'path' | 'write'>,
    terminal: Pick<Terminal, 'clock' | 'complain'>,
  ) {
    this.#server = server;
    this.#file = file;
    this.#terminal = terminal;
  }

  /**
   * Writes the state now, and soon after each change from now on.
   *
   * @throws UsageError if the first write fails.
   */
  async start(): Promise<void> {
    this.#server.onChange(() => this.#changed());
    this.#writing = this.#write();
    await this.#writing.catch((error: unknown) => {
      this.#stop();
      throw new UsageError(
        `The state file ${this.#file.path} cannot be written.\n${reasonWithAdvice(error)}`,
      );
    });
  }

  /** Writes the last changes. Resolves to false if that failed. */
  async end(): Promise<boolean> {
    this.#stop();
    await this.#writing;
    if (this.#isChanged) await this.#attempt();
    return this.#failure === undefined;
  }

  #stop(): void {
    this.#isEnded = true;
    this.#cancelNext?.();
  }

  #changed(): void {
    this.#isChanged = true;
    if (this.#isEnded) return;
    // A large state leaves at least half of the time to the server.
    const wait = this.#failure === undefined ? Math.max(gathering, this.#took) : recovery;
    this.#cancelNext ??= this.#terminal.clock.setTimer(() => {
      this.#cancelNext = undefined;
      this.#writing = this.#writing.then(() => this.#attempt());
    }, wait);
  }

  /** Never rejects: a disk that is full must not end the server. */
  async #attempt(): Promise<void> {
    try {
      await this.#write();
      if (this.#failure !== undefined) this.#terminal.complain('The state is written again.\n');
      this.#failure = undefined;
    } catch (error) {
      const reason = reasonWithAdvice(error);
      if (reason !== this.#failure) {
        this.#terminal.complain(
          `The state cannot be written: ${reason}\nUntil it is written again, changes are only in memory.\n`,
        );
      }
      this.#failure = reason;
      this.#changed();
    }
  }

  async #write(): Promise<void> {
    const startedAt = this.#terminal.clock.now();
    this.#isChanged = false;
    // Records never change, so the state stays as it is now while it is written.
    const ofOther = await this.#file.write(piecesOf(await this.#server.state()));
    this.#took = this.#terminal.clock.now() - startedAt;
    if (ofOther === undefined) return;
    this.#terminal.complain(
      `Another program wrote ${this.#file.path}. A copy is kept as ${ofOther}, and the file has the state of this server again.\n`,
    );
  }
}
