import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';
import type { Clock } from '../../webhooks/index.js';

/** The terminal and the process of a command. A test passes its own. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The machine's clock. */
  readonly clock: Clock;
  /** Whether a person sees the output in colour. */
  readonly colors: boolean;
  /** Whether standard error is a screen, where a line can be overwritten. */
  readonly screen: boolean;
  /** How many characters a line of that screen holds. */
  readonly columns: number;
  /** Writes a line to standard output. */
  print(line: string): void;
  /** Writes to standard error. */
  complain(text: string): void;
  /** Reads standard input to its end. */
  readInput(): Promise<Uint8Array>;
  /** Standard input and output themselves, for a command that speaks a protocol over them. */
  streams(): { readonly input: Readable; readonly output: Writable };
  /** Resolves when the user or the system asks the process to stop, or the output has no reader. */
  stopRequested(): Promise<void>;
}

/** A signal that aborts when the process must end. */
export function stopSignal(terminal: Pick<Terminal, 'stopRequested'>): AbortSignal {
  const stopping = new AbortController();
  void terminal.stopRequested().then(() => stopping.abort());
  return stopping.signal;
}

/** Styles text if the terminal shows styles. */
export function styled(
  terminal: Pick<Terminal, 'colors'>,
  style: Parameters<typeof styleText>[0],
  text: string,
): string {
  return terminal.colors ? styleText(style, text, { validateStream: false }) : text;
}

/** A line on the screen of standard error that is overwritten. */
export class StatusLine {
  readonly #terminal: Terminal;
  #isShown = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  show(text: string): void {
    this.#isShown = true;
    // A wrapped line could not be overwritten.
    this.#terminal.complain(`\r\u001b[2K${text.slice(0, this.#terminal.columns - 1)}`);
  }

  /** Clears the line. */
  clear(): void {
    if (this.#isShown) this.#terminal.complain('\r\u001b[2K');
    this.#isShown = false;
  }
}
