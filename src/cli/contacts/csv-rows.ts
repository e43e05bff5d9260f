import type { Hash } from 'node:crypto';
import { pipeline } from 'node:stream';
import { parse } from 'csv-parse';
import { UsageError } from '../terminal/failures.js';
import { textOf } from './text-encoding.js';

/** A row of a CSV file. */
export interface CsvRow {
  /** Its number as a spreadsheet shows it: `sep=` in the first line is no row. */
  readonly number: number;
  /** The line of the file where it begins. A cell with line ends takes several lines. */
  readonly line: number;
  /** Its cells as the file has them. */
  readonly cells: readonly string[];
}

/** How to read the rows of a file. */
export interface CsvReading {
  /** The name of its encoding. */
  readonly encoding: string;
  /** The character between two cells. */
  readonly separator: string;
  /** Gets the bytes of the file as they are read. */
  readonly hash?: Hash;
}

/** The line `sep=;` before the names of the columns, which tells a spreadsheet the separator. */
const separatorLine = /^"?sep=(.)"?(?:\r\n|\n|\r|$)/i;

/** In characters. A longer row means that a quote is not closed. */
const longestRow = 1_000_000;

/** What a cell says. Header and cells are read alike: white space around them is none of it. */
export function textOfCell(cell: string | undefined): string {
  return cell?.trim() ?? '';
}

/** The separator that the first line of a text names; `undefined` if it names none. */
export function namedSeparator(text: string): string | undefined {
  return separatorLine.exec(text)?.[1];
}

/** A text without the first line that names the separator. */
export function withoutSeparatorLine(text: string): string {
  return text.replace(separatorLine, '');
}

/**
 * Streams the rows of a CSV file, without empty ones.
 *
 * @throws UsageError if the file cannot be read, or is not CSV.
 */
export async function* csvRows(path: string, reading: CsvReading): AsyncGenerator<CsvRow> {
  try {
    for await (const row of allRows(path, reading, { number: 1, line: 1 })) {
      if (row.cells.some((cell) => textOfCell(cell) !== '')) yield row;
    }
  } catch (error) {
    throw error instanceof UsageError ? error : await notCsv(path, reading, error);
  }
}

/** Where the next row begins. */
interface Place {
  number: number;
  line: number;
}

/** @param to - How many rows to read; -1 for all. */
async function* allRows(
  path: string,
  { encoding, separator, hash }: CsvReading,
  next: Place,
  to = -1,
): AsyncGenerator<CsvRow> {
  const parser = parse({
    delimiter: separator,
    max_record_size: longestRow,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    to,
  });
  async function* rowsText() {
    let isStart = true;
    for await (const text of textOf(path, encoding, hash)) {
      if (isStart && namedSeparator(text) !== undefined) next.line = 2;
      yield isStart ? withoutSeparatorLine(text) : text;
      isStart &&= text === '';
    }
  }
  pipeline(rowsText, parser, () => {}); // the loop below throws the pipeline's error
  for await (const record of parser) {
    const cells: readonly string[] = record;
    const row: CsvRow = { ...next, cells };
    next.number += 1;
    next.line += cells.reduce((lines, cell) => lines + lineEndsIn(cell), 1);
    yield row;
  }
}

function lineEndsIn(cell: string): number {
  return cell.match(/\r\n|\n|\r/g)?.length ?? 0;
}

/** What to do about an error of the parser. */
const advice: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED:
    'A quote begins there and does not end. Close it, or double a quote that belongs to the text.',
  CSV_MAX_RECORD_SIZE: `The row is longer than ${longestRow} characters. A quote is not closed, or the file has no line ends.`,
};

/** The error of the parser in words. Its own messages show cells, which may be phone numbers. */
async function notCsv(path: string, reading: CsvReading, error: unknown): Promise<UsageError> {
  const { code, column, records }: Readonly<Record<string, unknown>> = Object(error);
  const line = await lineAfter(path, reading, Number(records));
  const cell = typeof column === 'number' ? `, cell ${column + 1}` : '';
  const what = advice[String(code)] ?? 'Put a cell that contains a quote in quotes, and double that quote.';
  return new UsageError(`${path} is not valid CSV at line ${line}${cell}. ${what}`);
}

/** The line after so many rows. The parser knows only the line where it noticed an error, and a quote may begin long before. */
async function lineAfter(path: string, { encoding, separator }: CsvReading, rows: number): Promise<number> {
  const next: Place = { number: 1, line: 1 };
  try {
    for await (const _ of allRows(path, { encoding, separator }, next, Math.max(1, rows)));
  } catch {
    // The first row has the error, and `next` is that row.
  }
  return next.line;
}
