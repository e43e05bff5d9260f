import { PassThrough } from 'node:stream';
import type { Clock } from 'messaging-automation';
import { type Terminal, terminalLine, terminalLines } from '../../src/cli/terminal/terminal.js';
import { systemClock } from '../../src/foundation/clock.js';
import { within } from '../waiting.js';

export interface TerminalOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock | undefined;
  readonly colors?: boolean;
  readonly screen?: boolean;
  readonly input?: string;
  readonly interactive?: boolean;
  readonly outputError?: unknown;
}

/** A terminal that keeps what is written to it. Its user presses Ctrl-C when the test says so. */
export class FakeTerminal implements Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly colors: boolean;
  readonly screen: boolean;
  readonly columns = 80;
  readonly interactive: boolean;
  readonly printed: string[] = [];
  /** What is written to standard input, and what the command writes to standard output. */
  readonly pipes = { input: new PassThrough(), output: new PassThrough() };
  complaints = '';
  /** Why nothing more can be printed. */
  readonly outputError: unknown;
  readonly #checks = new Set<() => void>();
  #stop = () => {};
  readonly #stopped = new Promise<void>((resolve) => {
    this.#stop = resolve;
  });

  constructor({
    env = {},
    clock = systemClock,
    colors = false,
    screen = false,
    input,
    interactive = false,
    outputError,
  }: TerminalOptions = {}) {
    this.env = env;
    this.clock = clock;
    this.colors = colors;
    this.screen = screen;
    this.interactive = interactive;
    this.outputError = outputError;
    if (input !== undefined) this.pipes.input.end(input);
  }

  get output(): string {
    return this.printed.join('\n');
  }

  print(...lines: readonly string[]): void {
    this.printed.push(lines.map(terminalLine).join('\n'));
    this.#check();
  }

  complain(text: string): void {
    this.complaints += terminalLines(text);
    this.#check();
  }

  outputFailure(): Promise<unknown> {
    return Promise.resolve(this.outputError);
  }

  overwrite(line: string): void {
    this.complaints += `\r\u001b[2K${terminalLine(line)}`;
    this.#check();
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
    return this.#until(`a line like ${pattern}`, () => this.printed.find((line) => pattern.test(line)));
  }

  /** Resolves with what is written to standard error, once it matches. */
  complaint(pattern: RegExp): Promise<string> {
    return this.#until(`a complaint like ${pattern}`, () =>
      pattern.test(this.complaints) ? this.complaints : undefined,
    );
  }

  #until(what: string, find: () => string | undefined): Promise<string> {
    let check = () => {};
    const found = new Promise<string>((resolve) => {
      check = () => {
        const text = find();
        if (text !== undefined) resolve(text);
      };
    });
    this.#checks.add(check);
    check();
    const written = () => `${this.output}\n${this.complaints}`;
    const result = within(what, found, written).finally(() => this.#checks.delete(check));
    // A test that failed before awaits it no more.
    result.catch(() => {});
    return result;
  }

  #check(): void {
    for (const check of [...this.#checks]) check();
  }
}
