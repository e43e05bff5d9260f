import type { Terminal } from './terminal.js';

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
