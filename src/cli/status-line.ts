import type { Terminal } from './terminal.js';

/** A line on the screen of standard error that is written over and over. */
export class StatusLine {
  readonly #terminal: Terminal;
  #isShown = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  show(text: string): void {
    this.#isShown = true;
    // A line that is broken at the edge could not be taken back.
    this.#terminal.complain(`\r\u001b[2K${text.slice(0, this.#terminal.columns - 1)}`);
  }

  /** Makes room for what comes after. */
  clear(): void {
    if (this.#isShown) this.#terminal.complain('\r\u001b[2K');
    this.#isShown = false;
  }
}
