import { createReadStream } from 'node:fs';
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
