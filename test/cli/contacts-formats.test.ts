import { describe, expect, test } from 'vitest';
import { formats, rowsOfFormat, tableIn } from './contacts-formats.js';
import { importFile, upserted } from './imported-contacts.js';
import { serve, temporaryFile } from './served.js';

/** What a dry run says of a file. */
async function rehearse(content: string | Uint8Array, ...words: readonly string[]) {
  return importFile([await temporaryFile('contacts.csv', content), '--dry-run', ...words]);
}

const latin = (text: string) => Buffer.from(text, 'latin1');
const utf16 = (text: string) => Buffer.from(text, 'utf16le');

describe('the format of a file', () => {
  test.each(formats.filter((_, place) => place % 61 === 0))('is found: $name', async (format) => {
    const served = await serve();
    const file = await temporaryFile('contacts.csv', tableIn(format, rowsOfFormat));
    const { exitCode } = await importFile([file, '--url', served.url, '--concurrency', '1']);
    expect(exitCode).toBe(0);
    const [, ...rows] = rowsOfFormat;
    expect(await upserted(served)).toEqual(
      rows.map(([phone, name, note]) => ({ phone, properties: { name, ...(note && { note }) } })),
    );
  });

  test.each<[string, string | Uint8Array, readonly string[]]>([
    [
      '--delimiter beside a line that names another',
      'sep=,\nphone;name\n+15551234567;a,b\n',
      ['--delimiter', ';'],
    ],
    ['--delimiter tab', 'phone\tname\n+15551234567\tA\n', ['--delimiter', 'tab']],
    [
      '--delimiter with the code of a character',
      'phone\u0001name\n+15551234567\u0001A\n',
      ['--delimiter', '\\u0001'],
    ],
    ['a first line in quotes', '"sep=^"\r\nphone^name\r\n+15551234567^A\r\n', []],
    ['separators in the names of columns', '"a,b|c";phone\nA;+15551234567\n', []],
    ['a phone column that --map names', 'Mobile;a,b\n+15551234567;A\n', ['--map', 'Mobile=phone']],
    ['one column', 'phone\n+15551234567\n', []],
    ['one column in quotes and CR', '"phone"\r"+15551234567"\r', []],
    ['columns that a spreadsheet adds', 'phone;name;;\n+15551234567;A;;\n', []],
    ['rows that a spreadsheet makes longer', 'phone;name\n+15551234567;A;;\n', []],
    [
      '--encoding that is read only',
      latin('phone,name\n+15551234567,M\x9fller\n'),
      ['--encoding', 'macintosh'],
    ],
    ['--encoding where UTF-8 would do', 'phone,name\n+15551234567,Jos\u00e9\n', ['--encoding', 'latin1']],
  ])('is %s', async (_, content, words) => {
    expect(await rehearse(content, ...words)).toMatchObject({
      exitCode: 0,
      output: '1 row: 1 would be imported, 0 rejected. Nothing was sent.',
      complaints: '',
    });
  });

  test('says that windows-1252 is a guess', async () => {
    const { exitCode, complaints } = await rehearse(latin('phone,name\n+15551234567,\xe4\xf6\xfc\x80\n'));
    expect(exitCode).toBe(0);
    expect(complaints).toContain('is not in UTF-8, and is read as windows-1252.');
  });

  test.each<[string, string | Uint8Array, readonly string[], string]>([
    ['another separator', 'phone:name\n+15551234567:A\n', [], "If ':' separates them, pass --delimiter ':'."],
    ['a separator that nobody sees', 'name\u0001phone\nA\u0001+15551234567\n', [], "--delimiter '\\u0001'"],
    ['a separator other than --delimiter', 'phone;name\n', ['--delimiter', ','], "separated by ','. If ';'"],
    ['a separator other than its first line says', 'sep=;\nphone\tname\n', [], 'pass --delimiter tab.'],
    [
      'columns by two separators',
      'phone|a,phone\n',
      [],
      "Pass the right one: --delimiter ',' or --delimiter '|'.",
    ],
    [
      'UTF-8 and something else',
      Buffer.concat([Buffer.from('phone,name\n+15551234567,José\n'), latin('1,J\xf3\n')]),
      [],
      'at line 3',
    ],
    [
      'a mark of UTF-8 and something else',
      latin('\xef\xbb\xbfphone,name\n1,J\xf3\n'),
      [],
      'is not in UTF-8 at line 2',
    ],
    [
      'a mark of another encoding',
      '\ufeffphone\n',
      ['--encoding', 'utf-16le'],
      'says that it is in utf-8, and --encoding',
    ],
    [
      'an encoding that is not UTF-8',
      latin('phone,name\n1,J\xf3\n'),
      ['--encoding', 'utf-8'],
      'is not in UTF-8 at line 2',
    ],
    [
      'an encoding that is not clear',
      latin('phone,name\n1,\xc8\xe2\xe0\xed\xcf\xe5\xf2\xf0\xce\xeb\xe5\xe3\n'),
      [],
      '--encoding windows-1250',
    ],
    ['bytes that windows-1252 does not have', latin('phone,name\n1,\x8dedo\n'), [], '--encoding macintosh'],
    ['half of a character', utf16('\ufeffphone\n').subarray(0, 13), [], 'is not in utf-16le, or is damaged.'],
    [
      'an encoding without a name',
      'phone\n',
      ['--encoding', 'utf-7-imap'],
      'It must be the name of an encoding',
    ],
    ['a workbook', latin('PK\x03\x04\x14\x00\x06\x00'), [], 'is a workbook, not a CSV file. Save it as CSV'],
    ['an empty name within', 'phone,,name\n', [], 'Column 2 has no name.'],
    [
      'names in another case',
      'Name,Phone\n',
      [],
      'Column 2 is named Phone, not phone: pass --map Phone=phone.',
    ],
    [
      'a name with a mark',
      '\u200ephone;name\n',
      [],
      'is named \\u200ephone, not phone with invisible characters, so rename it.',
    ],
    ['no names', 'Ada;+1 555 123 45 67\n', [], 'The first row looks like a contact: put a row above it'],
    ['one phone twice', 'phone,phone_without_plus\n', [], 'Columns 1 and 2 both set the same property.'],
    [
      'more columns than fit',
      `phone,${'a,'.repeat(1_001)}b\n`,
      [],
      'has 1003 columns, and an import takes 1000 at most.',
    ],
    [
      'a row without an end',
      `phone,name\n+15551234567,${'5551234567'.repeat(100_001)}`,
      [],
      'is not valid CSV at line 2',
    ],
    ['a file without ends of lines', 'x'.repeat(1_000_010), [], 'or the file has no line ends'],
    [
      'a quote in a cell',
      'phone\n+15551234567"\n',
      [],
      'is not valid CSV at line 2, cell 1. Put a cell that contains a quote',
    ],
  ])('is refused with %s', async (_, content, words, complaint) => {
    const { exitCode, output, complaints } = await rehearse(content, ...words);
    expect(complaints).toContain(complaint);
    expect(exitCode).toBe(2);
    expect(output + complaints).not.toMatch(/555 ?123/);
  });
});

describe('a line', () => {
  const quoted = '+15551234567,"a\r\nb\r\nc"\r\n\r\n+15551234568,"d\ne"\r\n';
  test.each<[string, string, string]>([
    ['a row is rejected', `phone,note\r\n${quoted}x,y\r\n`, 'Row 5 (line 8): The phone has letters.'],
    ['the first line names the separator', 'sep=,\r\nphone,note\r\nx,y\r\n', 'Row 2 (line 3): '],
    ['a mark comes first', '\ufeffphone,note\nx,y\n', 'Row 2: '],
    ['lines end in CR', 'phone,note\r+15551234567,"a\rb"\rx,y\r', 'Row 3 (line 4): '],
    [
      'a quote is not closed',
      `\ufeffsep=,\r\nphone,note\r\n${quoted}+1,"f\r\ng\r\nh`,
      'at line 9, cell 2. A quote begins there',
    ],
    ['a quote is closed early', `phone,note\r\n${quoted}+1,"f\r\n"g,h\r\n`, 'at line 8, cell 2.'],
    ['a quote is within a cell', `phone,note\r\n${quoted}+1,f"g\r\n`, 'at line 8, cell 2.'],
  ])('is the one where a thing begins, if %s', async (_, content, place) => {
    const { output, complaints } = await rehearse(content);
    expect(output + complaints).toContain(place);
  });
});

test('each reason names what happened to a phone, and shows none', async () => {
  const phones: Readonly<Record<string, string>> = {
    '1.5551E+10': 'exponent form',
    '1,5551E+10': 'exponent form',
    '"1.55512e10"': 'exponent form',
    '15551234567': 'has no +: a spreadsheet takes it away',
    '15551234567.0': 'decimal number',
    '"15551234567,00"': 'decimal number',
    '+1555\u200e1234567': 'invisible character (U+200E)',
    '\u202a+15551234567\u202c': 'invisible character (U+202A)',
    '+1\u00a05551234567': 'invisible character (U+00A0)',
    '+1555\ufeff1234567': 'invisible character (U+FEFF)',
    '\u2068+15551234567': 'invisible character (U+2068)',
    "'+15551234567": 'begins with an apostrophe',
    '0015551234567': 'begins with 00',
    '(00) 1 555 1234567': 'begins with 00',
    '05551234567': 'begins with 0, as within its country',
    '+05551234567': 'begins with +0',
    '+1 (0) 5551234567': 'has a (0)',
    '+1 (555) 123-4567': 'spaces, brackets or other signs',
    '+1.555.1234567': 'spaces, brackets or other signs',
    '+1555CALLADA': 'letters',
    'tel:+15551234567': 'letters',
    '"=""+15551234567"""': 'a formula of a spreadsheet',
    '#NAME?': 'an error of a spreadsheet',
    '+15551234567 / +15557654321': 'more than one phone',
    '+１５５５１２３４５６７': 'another script or width',
    '+١٥٥٥١٢٣٤٥٦٧': 'another script or width',
    '+1555123456789012': 'more than 15 digits',
    '+1': 'too few digits',
    '" "': 'is empty',
  };
  const content = `phone;name\n${Object.keys(phones)
    .map((phone) => `${phone};A`)
    .join('\n')}\n`;
  const { output } = await rehearse(content, '--json');
  const { rejected, firstRejected } = JSON.parse(output);
  const { output: rest } = await rehearse(
    `phone;name\n${Object.keys(phones)
      .slice(20)
      .map((phone) => `${phone};A`)
      .join('\n')}\n`,
    '--json',
  );
  const reasons: readonly string[] = [...firstRejected, ...JSON.parse(rest).firstRejected].map(
    ({ reason }) => reason,
  );
  expect(rejected).toBe(Object.keys(phones).length);
  expect(reasons).toEqual(Object.values(phones).map((words) => expect.stringContaining(words)));
  expect(reasons.join()).not.toMatch(/555/);
});

test.each<[string, string, string]>([
  ['that is not there', '/nowhere/contacts.csv', 'ENOENT: there is no such file'],
  ['that is a folder', '/proc/self', 'is a folder. Name the CSV file in it.'],
  ['below a file', '/etc/hosts/contacts.csv', 'ENOTDIR'],
  ['that is standard input', '-', 'Save what comes from standard input to a file'],
  ['that is a device', '/dev/full', 'is not a regular file'],
])('a file %s is named', async (_, file, complaint) => {
  const { exitCode, complaints } = await importFile([file, '--dry-run']);
  expect(exitCode).toBe(2);
  expect(complaints).toContain(complaint);
});
