import { PassThrough } from 'node:stream';
import type { Clock } from 'messaging-automation';
import { machineClock } from '../../src/cli/terminal/machine-clock.js';
import type { Terminal } from '../../src/cli/terminal/terminal.js';

/** A terminal that keeps what is written to it, and whose user stops the command when told. */
export class FakeTerminal implements Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly colors: boolean;
  readonly screen: boolean;
  readonly columns = 80;
  readonly printed: string[] = [];
  /** What is written to standard input, and what the command writes to standard output. */
  readonly pipes = { input: new PassThrough(), output: new PassThrough() };
  readonly #input: string;
  complaints = '';
  #onPrint = (_line: string) => {};
  #onComplaint = () => {};
  #stop = () => {};
  readonly #stopped = new Promise<void>((resolve) => {
    this.#stop = resolve;
  });

  constructor({
    env = {},
    clock = machineClock,
    colors = false,
    screen = false,
    input = '',
  }: {
    env?: Readonly<Record<string, string>>;
    clock?: Clock;
    colors?: boolean;
    screen?: boolean;
    input?: string;
  } = {}) {
    this.env = env;
    this.clock = clock;
    this.colors = colors;
    this.screen = screen;
    this.#input = input;
  }

  get output(): string {
    return this.printed.join('\n');
  }

  print(line: string): void {
    this.printed.push(line);
    this.#onPrint(line);
  }

  complain(text: string): void {
    this.complaints += text;
    this.#onComplaint();
  }

  async readInput(): Promise<Uint8Array> {
    return new TextEncoder().encode(this.#input);
  }

  streams() {
    return this.pipes;
  }

  stopRequested(): Promise<void> {
    return this.#stopped;
  }

  /** Presses Ctrl-C. */
  stop(): void {
    this.#stop();
  }

  /** Resolves with the first line, printed by now or later, that matches. */
  line(pattern: RegExp): Promise<string> {
    const found = this.printed.find((line) => pattern.test(line));
    if (found !== undefined) return Promise.resolve(found);
    return new Promise((resolve) => {
      this.#onPrint = (line) => {
        if (pattern.test(line)) resolve(line);
      };
    });
  }

  /** Resolves once what is written to standard error matches. */
  complaint(pattern: RegExp): Promise<void> {
    return new Promise((resolve) => {
      this.#onComplaint = () => {
        if (pattern.test(this.complaints)) resolve();
      };
    });
  }
}
