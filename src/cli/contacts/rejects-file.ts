import { createHash } from 'node:crypto';
import { appendFile, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { undefinedIf } from '../../files/real-path.js';
import { CommandFailure, messageOf, UsageError } from '../terminal/failures.js';
import { printable } from '../terminal/terminal.js';
import { type ContactsTable, rejectedColumns } from './contacts-table.js';
import type { CsvRow } from './csv-rows.js';
import { encoded, encodingForWriting } from './text-encoding.js';

/** How many rejected rows a dry run shows. */
const shownAtMost = 20;

/** A row that was rejected, and why. */
export interface RejectedRow {
  /** Its number, as a spreadsheet shows it. */
  readonly row: number;
  /** The line of the file where it begins. */
  readonly line: number;
  readonly reason: string;
}

/**
 * A CSV file of the rejected rows, with their numbers and the reasons. It has the dialect of the imported file, so that a
 * spreadsheet opens it alike, and its columns have the names of the properties, so that an import of it needs no flags. It
 * exists only if rows were rejected. Before `begin` nothing is written.
 */
export class RejectsFile {
  /** The first rejected rows, for a dry run, which writes no file. */
  readonly first: RejectedRow[] = [];
  /** How many rows were rejected. */
  count = 0;
  readonly #path: string;
  readonly #table: ContactsTable;
  readonly #heading: string;
  readonly #encoding: ReturnType<typeof encodingForWriting>;
  readonly #hash = createHash('sha256');
  #isOpen = false;
  #written: Promise<unknown> = Promise.resolve();

  constructor(path: string, table: ContactsTable) {
    this.#path = path;
    this.#table = table;
    const { dialect, properties } = table;
    const { hasSeparatorLine, separator, lineEnd, encoding } = dialect;
    const firstLine = hasSeparatorLine ? `sep=${separator}${lineEnd}` : '';
    this.#heading = firstLine + this.#row(rejectedColumns, properties);
    this.#encoding = encodingForWriting(encoding, this.#heading);
  }

  /** The SHA-256 of what is written. */
  get digest(): string {
    return this.#hash.copy().digest('hex');
  }

  /**
   * Empties the file. Only its owner can read it, because it holds phone numbers. If the file was edited since,
   * it is kept under another name.
   *
   * @param written - The digest of what the run before wrote, if that is known.
   * @returns The other name, if the file was edited.
   * @throws UsageError if the file cannot be written.
   */
  async begin(written?: string): Promise<string | undefined> {
    const edited = await this.#keepEdited(written).catch(this.#failing(UsageError));
    await writeFile(this.#path, '', { mode: 0o600 }).catch(this.#failing(UsageError));
    this.#isOpen = true;
    return edited;
  }

  /** Resolves once the row is in the file. */
  async add({ number, line, cells }: CsvRow, reason: string): Promise<void> {
    this.count += 1;
    if (this.count <= shownAtMost) this.first.push({ row: number, line, reason });
    if (!this.#isOpen) return;
    const start = this.count === 1 ? this.#encoding.mark + this.#heading : '';
    const bytes = encoded(start + this.#row([String(number), inSpreadsheet(reason)], cells), this.#encoding);
    this.#hash.update(bytes);
    this.#written = this.#written.then(() => appendFile(this.#path, bytes));
    await this.#written.catch(this.#failing(CommandFailure));
  }

  /** Removes the file if no row was rejected. */
  async close(): Promise<void> {
    if (this.#isOpen && this.count === 0) await rm(this.#path, { force: true });
  }

  async #keepEdited(written: string | undefined): Promise<string | undefined> {
    if (written === undefined) return undefined;
    const there = await readFile(this.#path).catch(undefinedIf('ENOENT'));
    if (there === undefined) return undefined;
    if (createHash('sha256').update(there).digest('hex') === written) return undefined;
    const edited = this.#path.replace(/(?:\.csv)?$/i, '.edited.csv');
    await rename(this.#path, edited);
    return edited;
  }

  /** A row with the cells of the columns that are not left out. Cells after the last column are kept. */
  #row(before: readonly string[], cells: readonly (string | undefined)[]): string {
    const { dialect, properties } = this.#table;
    const { separator, lineEnd, quotesAll } = dialect;
    const kept = cells.filter((_, place) => place >= properties.length || properties[place] !== undefined);
    const isQuoted = (cell: string) => quotesAll || cell.includes(separator) || /["\r\n]/.test(cell);
    return (
      [...before, ...kept]
        .map((cell = '') => (isQuoted(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
        .join(separator) + lineEnd
    );
  }

  #failing(Failure: typeof UsageError | typeof CommandFailure) {
    return (error: unknown): never => {
      throw new Failure(
        `Cannot write the rejected rows to ${this.#path}. ${messageOf(error)}. Name another file with --rejects.`,
      );
    };
  }
}

/** A reason that no spreadsheet takes for a formula, and that stays in its line. */
function inSpreadsheet(reason: string): string {
  return printable(reason).replace(/^[=+\-@]/, "'$&");
}
