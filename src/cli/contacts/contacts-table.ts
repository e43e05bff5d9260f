import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { parse } from 'csv-parse';
import type { UpsertContactInput } from '../../index.js';
import { messageOf, UsageError } from '../terminal/failures.js';

/** A row of a table: its cells, and its number as a spreadsheet shows it. */
export interface CsvRow {
  readonly number: number;
  readonly cells: readonly string[];
}

/** The value of `--map`: a property for each named column. An empty property leaves the column out. */
export type ColumnMap = Readonly<Record<string, string>>;

/** What an import knows of a CSV file before it sends anything. */
export type ContactsTable = Awaited<ReturnType<typeof openTable>>;

/** The columns before those of the table. An import of a rejects file ignores them. */
export const rejectedColumns: readonly string[] = ['rejected_row', 'rejected_reason'];

/** In bytes. A longer row means that a quote is not closed. */
const longestRow = 1_000_000;

/**
 * Reads a CSV file to its end, to know it before its rows are used.
 *
 * @throws UsageError if the file cannot be read, is not CSV in UTF-8, or has no clear columns.
 */
export async function openTable(path: string, delimiter: string, map: ColumnMap) {
  await refusePipes(path);
  const hash = createHash('sha256');
  let header: readonly string[] | undefined;
  /** How many rows are below the names of the columns. */
  let rows = 0;
  /** How many of them have as many cells as there are columns. */
  let wellFormed = 0;
  for await (const { cells } of csvRows(path, delimiter, hash)) {
    if (header === undefined) {
      header = cells.map((name) => name.trim());
    } else {
      rows += 1;
      if (cells.length === header.length) wellFormed += 1;
    }
  }
  if (header === undefined) {
    throw new UsageError(`${path} is empty. Its first row must name the columns, one of them phone.`);
  }
  const digest = hash.digest('hex');
  return {
    properties: propertiesOf(header, map),
    rows,
    wellFormed,
    digest,

    /**
     * Reads the rows below the names of the columns again.
     *
     * @throws UsageError if the file is not as it was the first time.
     */
    async *read(): AsyncGenerator<CsvRow> {
      const hashNow = createHash('sha256');
      let isHeader = true;
      for await (const row of csvRows(path, delimiter, hashNow)) {
        if (!isHeader) yield row;
        isHeader = false;
      }
      if (hashNow.digest('hex') === digest) return;
      throw new UsageError(`${path} was changed during the import, so rows may be missing. Import it again.`);
    },
  };
}

/** The contact in a row. */
export function contactIn({ cells }: CsvRow, { properties }: ContactsTable): UpsertContactInput {
  const { phone = '', ...others } = Object.fromEntries(
    properties.flatMap((property, place) => {
      const cell = cells[place] ?? '';
      return property === undefined || cell === '' ? [] : [[property, cell]];
    }),
  );
  return { phone, ...(Object.keys(others).length > 0 && { properties: others }) };
}

/** A pipe is empty after the first time that it is read, and may never end. */
async function refusePipes(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined); // the error of reading it says more
  if (found === undefined || found.isFile()) return;
  throw new UsageError(
    `${path} is not a regular file, and an import reads it twice. Save its content to a file first.`,
  );
}

/**
 * The property in each column; `undefined` for a column that is left out.
 *
 * @throws UsageError if no column has the phones, or a column's property is ambiguous.
 */
function propertiesOf(header: readonly string[], map: ColumnMap): readonly (string | undefined)[] {
  const missing = Object.keys(map).find((name) => !header.includes(name));
  if (missing !== undefined) {
    throw new UsageError(`--map names the column ${missing}, which the file does not have.`);
  }
  const properties = header.map((name, place) => {
    if (name === '') throw new UsageError(`Column ${place + 1} has no name. Give it one in the first row.`);
    if (Object.hasOwn(map, name)) return map[name] || undefined;
    return rejectedColumns.includes(name) ? undefined : name;
  });
  // The first row may be a contact by mistake, so no message shows its cells.
  properties.forEach((property, place) => {
    const first = properties.indexOf(property);
    if (property === undefined || first === place) return;
    throw new UsageError(
      `Columns ${first + 1} and ${place + 1} both set the same property. Leave one out: --map COLUMN=`,
    );
  });
  if (properties.includes('phone')) return properties;
  throw new UsageError(
    `None of the ${header.length} columns is named phone. The first row must name the columns; ` +
      'use --map COLUMN=phone for the one with the phones, and --delimiter for the character between cells.',
  );
}

/**
 * Streams the rows of a CSV file, without empty rows.
 *
 * @param hash - Gets the bytes of the file as they are read.
 */
async function* csvRows(path: string, delimiter: string, hash: Hash): AsyncGenerator<CsvRow> {
  const parser = parse({
    delimiter,
    max_record_size: longestRow,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
  });
  const decoded = (chunks: AsyncIterable<Uint8Array>) => decodedBytes(chunks, hash);
  pipeline(createReadStream(path), decoded, parser, () => {}); // the loop below throws the pipeline's error
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

async function* decodedBytes(chunks: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield decoder.decode(chunk, { stream: true });
  }
  yield decoder.decode();
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
