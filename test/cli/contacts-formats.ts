/** How a program writes a CSV file. */
export interface CsvFormat {
  readonly name: string;
  readonly encoding: string;
  readonly separator: string;
  readonly lineEnd: string;
  readonly quotesAll: boolean;
  readonly hasSeparatorLine: boolean;
}

/** What each encoding makes of a text, byte order mark and all. */
const encodings: Readonly<Record<string, (text: string) => Uint8Array>> = {
  'UTF-8': (text) => Buffer.from(text),
  'UTF-8 with a mark': (text) => Buffer.from(`\ufeff${text}`),
  'UTF-16LE': (text) => Buffer.from(text, 'utf16le'),
  'UTF-16LE with a mark': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'UTF-16BE': (text) => Buffer.from(text, 'utf16le').swap16(),
  'UTF-16BE with a mark': (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  'windows-1252': (text) => Buffer.from(text.replaceAll('€', '\x80').replaceAll('–', '\x96'), 'latin1'),
};

const separators = { comma: ',', semicolon: ';', tab: '\t', bar: '|' };

const lineEnds = { LF: '\n', CRLF: '\r\n', CR: '\r' };

/** Every format. */
export const formats: readonly CsvFormat[] = Object.keys(encodings).flatMap((encoding) =>
  Object.entries(separators).flatMap(([separatorName, separator]) =>
    Object.entries(lineEnds).flatMap(([lineEndName, lineEnd]) =>
      [false, true].flatMap((quotesAll) =>
        [false, true].map((hasSeparatorLine) => ({
          name: [
            encoding,
            separatorName,
            lineEndName,
            ...(quotesAll ? ['all in quotes'] : []),
            ...(hasSeparatorLine ? ['sep='] : []),
          ].join(', '),
          encoding,
          separator,
          lineEnd,
          quotesAll,
          hasSeparatorLine,
        })),
      ),
    ),
  ),
);

/** A table that each format can hold, with what each could mistake. */
export const rowsOfFormat: readonly (readonly string[])[] = [
  ['phone', 'name', 'note'],
  ['+15551234001', 'José Müller', 'a,b;c|d\te'],
  ['+15551234002', 'Zoë "Große" – 5 €', 'two\nlines'],
  ['+15551234003', "O'Brien", ''],
];

/** A file in a format. */
export function tableIn(format: CsvFormat, rows: readonly (readonly string[])[]): Uint8Array {
  const { encoding, separator, lineEnd, quotesAll, hasSeparatorLine } = format;
  const isQuoted = (cell: string) =>
    quotesAll || [separator, '"', '\n', '\r'].some((part) => cell.includes(part));
  const lines = rows.map((row) =>
    row.map((cell) => (isQuoted(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(separator),
  );
  const first = hasSeparatorLine ? [`sep=${separator}`] : [];
  const bytes = encodings[encoding]?.([...first, ...lines, ''].join(lineEnd));
  if (bytes === undefined) throw new Error(`There is no encoding ${encoding}.`);
  return bytes;
}
