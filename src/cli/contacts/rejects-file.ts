import { appendFile, rm, writeFile } from 'node:fs/promises';
import { CommandFailure, messageOf, UsageError } from '../terminal/failures.js';
import { type ContactsTable, type CsvRow, rejectedColumns } from './contacts-table.js';

/** How many rejected rows a dry run shows. */
const shownAtMost = 20;

/**
 * A CSV file of the rejected rows, with their numbers and the reasons. Its columns have the names of the properties, and commas
 * between them, so that an import needs no other flags. It exists only if rows were rejected. Before `begin` nothing is written.
 */
export class RejectsFile {
  /** The first rejected rows, for a dry run, which writes no file. */
  readonly first: { readonly row: number; readonly reason: string }[] = [];
  /** How many rows were rejected. */
  count = 0;
  readonly #path: string;
  readonly #properties: ContactsTable['properties'];
  #isOpen = false;
  #written: Promise<unknown> = Promise.resolve();

  constructor(path: string, { properties }: ContactsTable) {
    this.#path = path;
    this.#properties = properties;
  }

  /**
   * Empties the file. Only its owner can read it, because it holds phone numbers.
   *
   * @throws UsageError if it cannot be written.
   */
  async begin(): Promise<void> {
    await writeFile(this.#path, '', { mode: 0o600 }).catch((error: unknown) => {
      throw new UsageError(`Cannot write the rejected rows to ${this.#path}. ${messageOf(error)}`);
    });
    this.#isOpen = true;
  }

  /** Resolves once the row is in the file. */
  async add({ number, cells }: CsvRow, reason: string): Promise<void> {
    this.count += 1;
    if (this.count <= shownAtMost) this.first.push({ row: number, reason });
    if (!this.#isOpen) return;
    const heading = this.count === 1 ? this.#line(rejectedColumns, this.#properties) : '';
    const lines = heading + this.#line([String(number), reason], cells);
    this.#written = this.#written.then(() => appendFile(this.#path, lines));
    await this.#written.catch((error: unknown) => {
      throw new CommandFailure(`Cannot write the rejected rows to ${this.#path}. ${messageOf(error)}`);
    });
  }

  /** Removes the file if no row was rejected. */
  async close(): Promise<void> {
    if (this.#isOpen && this.count === 0) await rm(this.#path, { force: true });
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
