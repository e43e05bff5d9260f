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
  const next = { number: 1, line: 1 };
  /** Where each row that is not empty begins. */
  const places = new WeakMap<readonly string[], typeof next>();
  const parser = parse({
    delimiter: reading.separator,
    max_record_size: longestRow,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // Called in the order of the file, so that after an error `next` is the row that has it.
    on_record: (cells: string[]) => {
      if (cells.some((cell) => textOfCell(cell) !== '')) places.set(cells, { ...next });
      next.number += 1;
      next.line += cells.reduce((lines, cell) => lines + lineEndsIn(cell), 1);
      return cells;
    },
  });
  async function* rowsText() {
    let isStart = true;
    for await (const text of textOf(path, reading.encoding, reading.hash)) {
      if (isStart && namedSeparator(text) !== undefined) next.line = 2;
      yield isStart ? withoutSeparatorLine(text) : text;
      isStart &&= text === '';
    }
  }
  pipeline(rowsText, parser, () => {}); // the loop below throws the pipeline's error
  try {
    for await (const record of parser) {
      const cells: readonly string[] = record;
      const place = places.get(cells);
      if (place !== undefined) yield { ...place, cells };
    }
  } catch (error) {
    throw error instanceof UsageError ? error : notCsv(path, error, next.line);
  }
}

function lineEndsIn(cell: string): number {
  return cell.match(/\r\n|\n|\r/g)?.length ?? 0;
}

/** What to do about an error of the parser. */
const advice: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED:
    'A quote begins there and does not end. Close it, or double a quote that belongs to the text.',
  CSV_MAX_RECORD_SIZE: `The row is longer than ${longestRow} characters. A quote is not closed, or the file has no ends of lines.`,
};

/** The error of the parser in words. Its own messages show cells, which may be phone numbers. */
function notCsv(path: string, error: unknown, line: number): UsageError {
  const { code, column }: Readonly<Record<string, unknown>> = Object(error);
  const cell = typeof column === 'number' ? `, cell ${column + 1}` : '';
  const what = advice[String(code)] ?? 'Put a cell that contains a quote in quotes, and double that quote.';
  return new UsageError(`${path} is not valid CSV at line ${line}${cell}. ${what}`);
}
