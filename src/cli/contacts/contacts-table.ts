import { createHash, type Hash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { doYouMean } from '../../foundation/near-name.js';
import type { UpsertContactInput } from '../../index.js';
import { UsageError } from '../terminal/failures.js';
import { printable } from '../terminal/terminal.js';
import { type CsvDialect, dialectOf, type NamedDialect } from './csv-dialect.js';
import { type CsvRow, csvRows, textOfCell } from './csv-rows.js';
import { phoneWithoutPlus, withPlus } from './phone-problem.js';
import { RowMarks } from './row-marks.js';
import { unreadableFile } from './text-encoding.js';

/** The value of `--map`: a property for each named column. An empty property leaves the column out. */
export type ColumnMap = Readonly<Record<string, string>>;

/** What the command line names of a file, now or in an earlier run. */
export interface NamedFormat extends NamedDialect {
  readonly map?: ColumnMap | undefined;
}

/** What an import knows of a CSV file before it sends anything. */
export interface ContactsTable {
  readonly path: string;
  readonly dialect: CsvDialect;
  /** The property in each column; `undefined` for a column that is left out. */
  readonly properties: Properties;
  /** How many rows are below the names of the columns. */
  readonly rows: number;
  /** How many of them have as many cells as there are columns. */
  readonly wellFormed: number;
  /** The SHA-256 of the file. */
  readonly digest: string;
  /** The content of each well-formed row. */
  readonly marks: RowMarks;
}

type Properties = readonly (string | undefined)[];

/** The columns before those of the table. An import of a rejects file ignores them. */
export const rejectedColumns: readonly string[] = ['rejected_row', 'rejected_reason'];

const mostColumns = 1_000;

/**
 * Reads a CSV file to its end, to know it before its rows are used.
 *
 * @param given - What the command line names. It wins.
 * @param kept - What an earlier command line named. It counts as far as it fits the file.
 * @throws UsageError if the file cannot be read, is not CSV, or has no clear columns.
 */
export async function openTable(
  path: string,
  given: NamedFormat,
  kept: NamedFormat = {},
): Promise<ContactsTable> {
  await refuseOtherThanFile(path);
  const map = given.map ?? kept.map ?? {};
  const names = phoneColumnsOf(map);
  const dialect = await dialectOf(path, given, kept, (name) => names.includes(name.toLowerCase()));
  const hash = createHash('sha256');
  const marks = new RowMarks();
  let properties: Properties | undefined;
  let rows = 0;
  for await (const row of csvRows(path, readingOf(dialect, hash))) {
    if (properties === undefined) {
      properties = propertiesOf(path, row, map, given.map !== undefined);
      continue;
    }
    rows += 1;
    if (!isWellFormed(row, { properties })) continue;
    const { phone, properties: values = {} } = contactIn(row, { properties });
    marks.add([phone, ...Object.entries(values).toSorted()]);
  }
  if (properties === undefined) {
    throw new UsageError(`${path} is empty. Its first row must name the columns, one of them phone.`);
  }
  const wellFormed = marks.length;
  return { path, dialect, properties, rows, wellFormed, digest: hash.digest('hex'), marks };
}

/**
 * Reads the rows below the names of the columns again.
 *
 * @throws UsageError if the file is not as it was the first time.
 */
export async function* rowsOf({ path, dialect, digest }: ContactsTable): AsyncGenerator<CsvRow> {
  const hash = createHash('sha256');
  let isHeader = true;
  for await (const row of csvRows(path, readingOf(dialect, hash))) {
    if (!isHeader) yield row;
    isHeader = false;
  }
  if (hash.digest('hex') === digest) return;
  throw new UsageError(`${path} was changed during the import, so rows may be missing. Import it again.`);
}

/** Whether a row has a cell for each column. Empty cells after them are those of a spreadsheet, and mean nothing. */
export function isWellFormed({ cells }: CsvRow, { properties }: Pick<ContactsTable, 'properties'>): boolean {
  const { length } = properties;
  return cells.length >= length && cells.slice(length).every((cell) => textOfCell(cell) === '');
}

/** The contact in a row. */
export function contactIn(
  { cells }: CsvRow,
  { properties }: Pick<ContactsTable, 'properties'>,
): UpsertContactInput {
  const {
    phone = '',
    [phoneWithoutPlus]: digits = '',
    ...others
  } = Object.fromEntries(
    properties.flatMap((property, place) => {
      const text = textOfCell(cells[place]);
      return property === undefined || text === '' ? [] : [[property, text]];
    }),
  );
  return { phone: phone || withPlus(digits), ...(Object.keys(others).length > 0 && { properties: others }) };
}

function readingOf({ encoding, separator }: CsvDialect, hash: Hash) {
  return { encoding: encoding.name, separator, hash };
}

/** A pipe is empty after the first time that it is read, and may never end. */
async function refuseOtherThanFile(path: string): Promise<void> {
  if (path === '-') {
    throw new UsageError(
      'An import reads its file more than once. Save what comes from standard input to a file, and import that.',
    );
  }
  const found = await stat(path).catch((error: unknown) => {
    throw unreadableFile(path, error);
  });
  if (found.isFile()) return;
  if (found.isDirectory()) throw new UsageError(`${path} is a folder. Name the CSV file in it.`);
  throw new UsageError(
    `${path} is not a regular file, and an import reads it more than once. Save its content to a file first.`,
  );
}

const isPhoneProperty = (property: string | undefined) =>
  property === 'phone' || property === phoneWithoutPlus;

/** The names of columns that may have the phones, in lower case. */
function phoneColumnsOf(map: ColumnMap): readonly string[] {
  const mapped = Object.keys(map).filter((name) => isPhoneProperty(map[name]));
  const named = ['phone', phoneWithoutPlus].filter((name) => !Object.hasOwn(map, name));
  return [...mapped, ...named].map((name) => name.toLowerCase());
}

/**
 * The property in each column; `undefined` for a column that is left out.
 *
 * @param isGiven - Whether this command line has the map. One of an earlier command line may name columns that are gone.
 * @throws UsageError if no column has the phones, or a column's property is ambiguous.
 */
function propertiesOf(path: string, { cells }: CsvRow, map: ColumnMap, isGiven: boolean): Properties {
  const header = cells.map(textOfCell);
  // A spreadsheet ends each row with as many separators as the longest one has.
  while (header.at(-1) === '') header.pop();
  if (header.length > mostColumns) {
    throw new UsageError(`${path} has ${header.length} columns, and an import takes ${mostColumns} at most.`);
  }
  const missing = isGiven && Object.keys(map).find((name) => !header.includes(name));
  if (missing) {
    const meant = doYouMean(missing, header);
    throw new UsageError(`--map names the column ${missing}, which the file does not have${meant}.`);
  }
  const properties = header.map((name, place) => {
    if (name === '') throw new UsageError(`Column ${place + 1} has no name. Give it one in the first row.`);
    if (Object.hasOwn(map, name)) return map[name] || undefined;
    return rejectedColumns.includes(name) ? undefined : name;
  });
  refuseOnePropertyTwice(properties);
  if (!properties.some(isPhoneProperty)) throw withoutPhones(header);
  return properties;
}

/** The first row may be a contact by mistake, so no message shows its cells. */
function refuseOnePropertyTwice(properties: Properties): void {
  const places = new Map<string, number>();
  properties.forEach((property, place) => {
    if (property === undefined) return;
    const meant = isPhoneProperty(property) ? 'phone' : property;
    const first = places.get(meant);
    if (first !== undefined) {
      throw new UsageError(
        `Columns ${first + 1} and ${place + 1} both set the same property. Leave one out: --map COLUMN=`,
      );
    }
    places.set(meant, place);
  });
}

/** The error of a file without a column of phones, by what its first row looks like. */
function withoutPhones(header: readonly string[]): UsageError {
  const place = header.findIndex((name) => name.replaceAll(/[\p{Cf}\s]/gu, '').toLowerCase() === 'phone');
  const name = header[place];
  if (name !== undefined) {
    const marks = /\p{Cf}/u.test(name)
      ? ' with invisible characters, so rename it'
      : `: pass --map ${name}=phone`;
    return new UsageError(`Column ${place + 1} is named ${printable(name)}, not phone${marks}.`);
  }
  const columns = header.length === 1 ? 'The one column is not' : `None of the ${header.length} columns is`;
  if (header.some((cell) => /^\W*\d[\d\s]{6,}$/.test(cell))) {
    return new UsageError(
      `${columns} named phone. The first row looks like a contact: put a row above it that names the columns.`,
    );
  }
  const names = header.some((cell) => /\d{4}|@/.test(cell))
    ? 'The first row must name the columns'
    : `The first row has ${listed(header)}`;
  return new UsageError(
    `${columns} named phone. ${names}; ` +
      'use --map COLUMN=phone for the one with the phones, and --delimiter for the character between cells.',
  );
}

/** The first names of a row that holds no contact. */
function listed(header: readonly string[]): string {
  const names = header.slice(0, 5).map((name) => JSON.stringify(printable(name.slice(0, 40))));
  return header.length > names.length ? `${names.join(', ')} …` : names.join(', ');
}
