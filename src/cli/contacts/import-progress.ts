import type { BulkProgress } from '../../index.js';
import { StatusLine, type Terminal } from '../terminal/terminal.js';

/** Without a screen, print a line for at least this many rows. */
const fewestRows = 100;

/** The rate of fewer rows is not meaningful. */
const fewestForPace = 20;

/** Prints the progress of an import to standard error: on a screen in one line, otherwise in a new line at each twentieth. */
export class ImportProgress {
  readonly #terminal: Terminal;
  readonly #line: StatusLine;
  readonly #total: number;
  #due: number;

  /** @param total - How many rows there are. */
  constructor(terminal: Terminal, total: number) {
    this.#terminal = terminal;
    this.#line = new StatusLine(terminal);
    this.#total = total;
    this.#due = terminal.screen ? 1 : this.#fewer;
  }

  show({ done, rejected, unknown, skipped, timeLeft }: BulkProgress): void {
    const worked = done + rejected + unknown;
    const behind = worked + skipped;
    if (behind < this.#due) return;
    const time = worked < fewestForPace ? 0 : (timeLeft ?? 0);
    const rate = time > 0 ? (1_000 * (this.#total - behind)) / time : undefined;
    const parts = [
      `${behind} of ${this.#total} rows (${Math.floor((100 * behind) / this.#total)} %)`,
      ...(rejected + unknown > 0 ? [`${rejected + unknown} rejected`] : []),
      ...(rate === undefined ? [] : [`${rate < 10 ? rate.toFixed(1) : Math.round(rate)} rows/s`]),
      ...(time > 0 ? [`${durationText(time)} left`] : []),
    ];
    this.#write(parts.join(', '));
    // About ten times a second on a screen.
    this.#due = behind + (this.#terminal.screen ? Math.max(1, Math.round((rate ?? 0) / 10)) : this.#fewer);
  }

  /** Clears the line. */
  clear(): void {
    this.#line.clear();
  }

  get #fewer(): number {
    return Math.max(fewestRows, Math.ceil(this.#total / 20));
  }

  #write(line: string): void {
    if (this.#terminal.screen) this.#line.show(line);
    else this.#terminal.complain(`${line}\n`);
  }
}

function durationText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
