import { UsageError } from '../terminal/failures.js';
import { printable } from '../terminal/terminal.js';
import { csvRows, namedSeparator, textOfCell, withoutSeparatorLine } from './csv-rows.js';
import { encodingOf, type FileEncoding, textOf } from './text-encoding.js';

/** How a file writes its table. */
export interface CsvDialect {
  readonly encoding: FileEncoding;
  /** The character between two cells. */
  readonly separator: string;
  /** Whether the first line names the separator, as in `sep=;`. */
  readonly hasSeparatorLine: boolean;
  readonly lineEnd: string;
  /** Whether every cell is in quotes, also where it need not be. */
  readonly quotesAll: boolean;
}

/** What the command line names of a dialect, now or in an earlier run. */
export interface NamedDialect {
  readonly delimiter?: string | undefined;
  readonly encoding?: string | undefined;
}

/** The separators that are found in a file. */
const separators: readonly string[] = [',', ';', '\t', '|'];

/** In characters: where the names of the columns end at the latest, so that the ends of lines are found. */
const startOfFile = 65_536;

/**
 * Finds the dialect of a file. Its separator is the one that makes the name of the phones' column a cell.
 *
 * @param given - What the command line names. It wins.
 * @param kept - What an earlier command line named. It counts where the file does not say.
 * @param hasPhones - Whether a column with this name has the phones.
 * @throws UsageError if the file cannot be read, or has no clear dialect.
 */
export async function dialectOf(
  path: string,
  given: NamedDialect,
  kept: NamedDialect,
  hasPhones: (name: string) => boolean,
): Promise<CsvDialect> {
  const encoding = await encodingOf(path, given.encoding, kept.encoding);
  const start = await startOf(path, encoding.name);
  const named = namedSeparator(start);
  const text = withoutSeparatorLine(start);
  const header: Header = { path, encoding: encoding.name, text, hasPhones };
  const separator = given.delimiter ?? named ?? (await foundSeparator(header, kept.delimiter));
  if (given.delimiter ?? named) refuseOtherSeparator(header, separator);
  const [firstRow = ''] = unquoted(text).split(lineEnd);
  return {
    encoding,
    separator,
    hasSeparatorLine: named !== undefined,
    lineEnd: lineEnd.exec(unquoted(text))?.[0] ?? '\n',
    quotesAll: firstRow.split(separator).every((cell) => cell === quoted),
  };
}

/** The beginning of a file, where the names of its columns are. */
interface Header {
  readonly path: string;
  readonly encoding: string;
  readonly text: string;
  readonly hasPhones: (name: string) => boolean;
}

async function startOf(path: string, encoding: string): Promise<string> {
  let text = '';
  for await (const part of textOf(path, encoding)) {
    text += part;
    if (text.length >= startOfFile) break;
  }
  return text;
}

/**
 * The separator that makes the name of the phones' column a cell. If none does, it is the one with the most columns, and the
 * columns are refused by their names.
 */
async function foundSeparator(header: Header, kept: string | undefined): Promise<string> {
  const candidates = [...new Set([...(kept === undefined ? [] : [kept]), ...separators])];
  const columns = new Map<string, readonly string[]>();
  let problem: unknown;
  for (const separator of candidates) {
    const names = await firstRowOf(header, separator).catch((error: unknown) => {
      problem ??= error;
    });
    if (names !== undefined) columns.set(separator, names);
  }
  if (columns.size === 0) throw problem;
  const fitting = [...columns].filter(([, names]) => names.some(header.hasPhones));
  const [first, second] = fitting;
  if (first !== undefined) {
    const [separator, { length }] = first;
    if (second === undefined || separator === kept || length === 1) return separator;
    const flags = fitting.map(([other]) => `--delimiter ${shown(other)}`).join(' or ');
    throw new UsageError(
      `${header.path} can be split into columns by more than one separator. Pass the right one: ${flags}.`,
    );
  }
  refuseOtherSeparator(header);
  const [widest = ','] = candidates.toSorted(
    (one, other) => (columns.get(other)?.length ?? 0) - (columns.get(one)?.length ?? 0),
  );
  return widest;
}

/** The cells of the first row; none of an empty file. */
async function firstRowOf({ path, encoding }: Header, separator: string): Promise<readonly string[]> {
  for await (const { cells } of csvRows(path, { encoding, separator })) return cells.map(textOfCell);
  return [];
}

/**
 * Names the character that makes the name of the phones' column a cell, if the separator does not.
 *
 * @throws UsageError
 */
function refuseOtherSeparator({ path, text, hasPhones }: Header, separator?: string): void {
  const [names = ''] = text.split(lineEnd);
  const fits = (character: string) =>
    names.split(character).some((name) => hasPhones(textOfCell(name.replaceAll('"', ''))));
  if (separator !== undefined && fits(separator)) return;
  const other = [...new Set(names)].find(
    (character) => /[^\p{L}\p{N}_"]/u.test(character) && fits(character),
  );
  if (other === undefined) return;
  const found = separator === undefined ? 'by a comma, a semicolon, a tab or |' : `by ${shown(separator)}`;
  throw new UsageError(
    `${path} has no column with the phones if its cells are separated ${found}. If ${shown(other)} separates them, pass ` +
      `--delimiter ${shown(other)}.`,
  );
}

const lineEnd = /\r\n|\n|\r/;

/** What `unquoted` writes for a cell in quotes. */
const quoted = '"';

/** A text whose cells in quotes are short, so that no separator and no line end is within them. */
function unquoted(text: string): string {
  return text.replace(/"(?:[^"]|"")*"/g, quoted);
}

/** A separator as a shell passes it. */
function shown(separator: string): string {
  if (separator === '\t') return 'tab';
  return separator === "'" ? `"'"` : `'${printable(separator)}'`;
}
