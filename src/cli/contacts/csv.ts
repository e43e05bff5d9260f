import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { parse } from 'csv-parse';
import { messageOf, UsageError } from '../terminal/failures.js';

/** A row of a table: its cells, and its number as a spreadsheet shows it. */
export interface CsvRow {
  readonly number: number;
  readonly cells: readonly string[];
}

export interface CsvOptions {
  readonly delimiter: string;
  /** Called with the bytes of the file as they are read. */
  readonly onBytes?: (bytes: Uint8Array) => void;
}

/** In bytes. A longer row means that a quote is not closed. */
const longestRow = 1_000_000;

/**
 * Streams the rows of a CSV file, without empty rows.
 *
 * @throws UsageError if the file cannot be read, or is not CSV in UTF-8.
 */
export async function* csvRows(path: string, { delimiter, onBytes }: CsvOptions): AsyncGenerator<CsvRow> {
  const parser = parse({
    bom: true,
    delimiter,
    max_record_size: longestRow,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
  });
  const checked = (chunks: AsyncIterable<Uint8Array>) => checkedBytes(chunks, onBytes);
  pipeline(createReadStream(path), checked, parser, () => {}); // the loop below throws the pipeline's error
  try {
    let number = 0;
    for await (const record of parser) {
      const cells: readonly string[] = record;
      number += 1;
      if (cells.some((cell) => cell !== '')) yield { number, cells };
    }
  } catch (error) {
    throw unreadable(path, error);
  }
}

async function* checkedBytes(
  chunks: AsyncIterable<Uint8Array>,
  onBytes: CsvOptions['onBytes'],
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const chunk of chunks) {
    decoder.decode(chunk, { stream: true });
    onBytes?.(chunk);
    yield chunk;
  }
  decoder.decode();
}

/** The parser's own messages show cells, which may be phone numbers. */
function unreadable(path: string, error: unknown): UsageError {
  const { code, lines }: { readonly code?: unknown; readonly lines?: unknown } = Object(error);
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
    return new UsageError(`${path} is not in UTF-8. Save it as CSV in UTF-8.`);
  }
  if (typeof code === 'string' && code.startsWith('CSV_')) {
    return new UsageError(
      `${path} is not valid CSV at line ${lines} (${code}). Put a cell that contains a quote in quotes, and double that quote.`,
    );
  }
  return new UsageError(`${path} cannot be read. ${messageOf(error)}`);
}

/** The columns and the number of rows of a CSV file. */
export interface CsvSurvey {
  /** The names of its columns. */
  readonly header: readonly string[];
  /** How many rows have as many cells as there are columns. */
  readonly wellFormed: number;
  /** How many rows have more or fewer. */
  readonly malformed: number;
  /** SHA-256 of the file. */
  readonly digest: string;
}

/** @throws UsageError if an import could not read it twice: a pipe is empty after the first time, and may never end. */
async function checkFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined); // the error of reading it says more
  if (found === undefined || found.isFile()) return;
  throw new UsageError(
    `${path} is not a regular file, and an import reads it twice. Save its content to a file first.`,
  );
}

/**
 * Reads a CSV file to its end.
 *
 * @throws UsageError if the file cannot be read, is not CSV, or is empty.
 */
export async function surveyCsv(path: string, delimiter: string): Promise<CsvSurvey> {
  await checkFile(path);
  const hash = createHash('sha256');
  let header: readonly string[] | undefined;
  let wellFormed = 0;
  let malformed = 0;
  for await (const { cells } of csvRows(path, { delimiter, onBytes: (bytes) => hash.update(bytes) })) {
    if (header === undefined) header = cells.map((name) => name.trim());
    else if (cells.length === header.length) wellFormed += 1;
    else malformed += 1;
  }
  if (header === undefined) {
    throw new UsageError(`${path} is empty. Its first row must name the columns, one of them phone.`);
  }
  return { header, wellFormed, malformed, digest: hash.digest('hex') };
}
