import { type FileHandle, open, rm } from 'node:fs/promises';
import { CommandFailure, messageOf, UsageError } from '../terminal/failures.js';
import type { CsvRow } from './csv.js';

/** The columns before those of the table. An import of a rejects file ignores them. */
export const rejectedColumns: readonly string[] = ['rejected_row', 'rejected_reason'];

/** A row that was rejected: its number, as a spreadsheet shows it, and why. */
export interface RejectedRow {
  readonly row: number;
  readonly reason: string;
}

/** How many rejected rows a dry run shows. */
const shownAtMost = 20;

/**
 * A CSV file of the rejected rows, with their numbers and the reasons. Its columns have the names of the properties, and commas
 * between them, so that an import needs no other flags. It exists only if rows were rejected. Before `begin` nothing is written.
 */
export class RejectsFile {
  readonly path: string;
  readonly #properties: readonly (string | undefined)[];
  #file: FileHandle | undefined;
  #count = 0;
  readonly #first: RejectedRow[] = [];
  #written: Promise<unknown> = Promise.resolve();

  /** @param properties - The property in each column of the table; `undefined` for a column that is left out. */
  constructor(path: string, properties: readonly (string | undefined)[]) {
    this.path = path;
    this.#properties = properties;
  }

  /**
   * Empties the file. Only its owner can read it, because it holds phone numbers.
   *
   * @throws UsageError if it cannot be written.
   */
  async begin(): Promise<void> {
    this.#file = await open(this.path, 'w', 0o600).catch((error: unknown) => {
      throw new UsageError(`Cannot write the rejected rows to ${this.path}. ${messageOf(error)}`);
    });
  }

  /** How many rows were added. */
  get count(): number {
    return this.#count;
  }

  /** The first of them, for a dry run, which writes no file. */
  get first(): readonly RejectedRow[] {
    return this.#first;
  }

  /** Resolves once the row is in the file. */
  async add({ number, cells }: CsvRow, reason: string): Promise<void> {
    this.#count += 1;
    if (this.#count <= shownAtMost) this.#first.push({ row: number, reason });
    const heading = this.#count === 1 ? this.#line(rejectedColumns, this.#properties) : '';
    const lines = heading + this.#line([String(number), reason], cells);
    this.#written = this.#written.then(() => this.#file?.appendFile(lines));
    await this.#written.catch((error: unknown) => {
      throw new CommandFailure(`Cannot write the rejected rows to ${this.path}. ${messageOf(error)}`);
    });
  }

  /** Closes the file, and removes it if it is empty. */
  async close(): Promise<void> {
    if (this.#file === undefined) return;
    await this.#file.close();
    if (this.#count === 0) await rm(this.path, { force: true });
  }

  #line(before: readonly string[], cells: readonly (string | undefined)[]): string {
    const kept = cells.filter(
      (_, place) => place >= this.#properties.length || this.#properties[place] !== undefined,
    );
    return `${[...before, ...kept].map(quoted).join(',')}\n`;
  }
}

function quoted(cell = ''): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
