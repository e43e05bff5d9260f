import { existsSync } from 'node:fs';
import { appendFile, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { openTable } from '../../src/cli/contacts/contacts-table.js';
import { RejectsFile } from '../../src/cli/contacts/rejects-file.js';
import { formats, rowsOfFormat, tableIn } from './contacts-formats.js';
import { checkpointOf, expectSameFormat, importFile, rejectsOf, upserted } from './imported-contacts.js';
import { type Served, serve, start, temporaryFile } from './served.js';

const table = (...rows: readonly string[]) => temporaryFile('contacts.csv', `${rows.join('\n')}\n`);

const at = ({ url }: Served, ...words: readonly string[]) => [...words, '--url', url, '--concurrency', '1'];

const phones = async (served: Served) => (await upserted(served)).map(({ phone }) => phone);

/** German Excel: windows-1252, semicolons, CRLF, and a phone is a number, which has no + and five digits in full. */
const inExcel = {
  open: (bytes: Buffer) =>
    bytes
      .toString('latin1')
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(';').map((cell) => (/^\+?\d+$/.test(cell) ? String(Number(cell)) : cell))),
  save: (rows: readonly (readonly string[])[]) =>
    Buffer.from(`${rows.map((row) => row.join(';')).join('\r\n')}\r\n`, 'latin1'),
};

describe('a spreadsheet', () => {
  const exported = [
    'phone;name;city',
    '+15551234001;Jos\xe9;K\xf6ln',
    '1,5551E+10;Zo\xeb;Z\xfcrich',
    '15551234003;J\xfcrgen;Gro\xdf-Gerau',
    '+15551234004;Ada;\x80',
  ];

  test('corrects the rejected rows of its export, which needs no flag, and says what it did to their phones', async () => {
    const served = await serve();
    const file = await temporaryFile('contacts.csv', Buffer.from(`${exported.join('\r\n')}\r\n`, 'latin1'));
    expect((await importFile(at(served, file))).exitCode).toBe(1);
    const rejects = await readFile(rejectsOf(file));
    expect(rejects.toString('latin1').replaceAll(/;"?The phone[^;]*;/g, ';…;')).toBe(
      'rejected_row;rejected_reason;phone;name;city\r\n' +
        '3;…;1,5551E+10;Zo\xeb;Z\xfcrich\r\n4;…;15551234003;J\xfcrgen;Gro\xdf-Gerau\r\n',
    );

    const [heading = [], zoe = [], ...others] = inExcel.open(rejects);
    const corrected = [heading, zoe.with(2, '+15551234002'), ...others];
    // The cells are no texts, so the spreadsheet takes the + of what is typed.
    await writeFile(rejectsOf(file), inExcel.save(inExcel.open(inExcel.save(corrected))));
    const again = await importFile(at(served, rejectsOf(file)));
    expect(again.exitCode).toBe(1);
    expect(await readFile(rejectsOf(rejectsOf(file)), 'latin1')).toContain('name it phone_without_plus');

    const renamed = [heading.with(2, 'phone_without_plus'), ...corrected.slice(1)];
    await writeFile(rejectsOf(file), inExcel.save(inExcel.open(inExcel.save(renamed))));
    expect(await importFile(at(served, rejectsOf(file)))).toMatchObject({
      exitCode: 0,
      output: '2 rows: 2 imported, 0 rejected.',
    });
    expect(await upserted(served)).toEqual([
      { phone: '+15551234001', properties: { name: 'José', city: 'Köln' } },
      { phone: '+15551234004', properties: { name: 'Ada', city: '€' } },
      { phone: '+15551234002', properties: { name: 'Zoë', city: 'Zürich' } },
      { phone: '+15551234003', properties: { name: 'Jürgen', city: 'Groß-Gerau' } },
    ]);
  });

  test('corrects the export itself, and saves it in another order and another format', async () => {
    const served = await serve();
    const file = await temporaryFile('contacts.csv', Buffer.from(`${exported.join('\r\n')}\r\n`, 'latin1'));
    await importFile(at(served, file));
    const rows = [
      '"phone"\t"city"\t"name"\t',
      '"+15551234004"\t"€"\t"Ada"\t',
      '"+15551234003"\t"Groß-Gerau"\t"Jürgen"\t',
      '"+15551234002"\t"Zürich"\t"Zoë"\t',
      '"+15551234001"\t"Köln"\t"José"\t',
    ];
    await writeFile(file, Buffer.from(`\ufeff${rows.join('\r\n')}\r\n`, 'utf16le'));
    expect(await importFile(at(served, file))).toMatchObject({
      exitCode: 0,
      output: '4 rows: 4 imported, 2 of them before, 0 rejected.',
    });
    expect(await phones(served)).toEqual(['1', '4', '3', '2'].map((end) => `+1555123400${end}`));
    expect([existsSync(checkpointOf(file)), existsSync(rejectsOf(file))]).toEqual([false, false]);
  });

  test('gets no formula from a reason, and its own cells as they were', async () => {
    const file = await table('phone,=A1', ' +1 ,"=HYPERLINK(""x"")"', '@x,-1');
    const opened = await openTable(file, {});
    const rejects = new RejectsFile(rejectsOf(file), opened);
    await rejects.begin();
    for (const reason of ['=cmd', '+1', '-1', '@sum'])
      await rejects.add({ number: 2, line: 2, cells: [' +1 ', '=HYPERLINK("x")'] }, reason);
    expect((await readFile(rejectsOf(file), 'utf8')).split('\n').slice(1, 5)).toEqual(
      ['=cmd', '+1', '-1', '@sum'].map((reason) => `2,'${reason}, +1 ,"=HYPERLINK(""x"")"`),
    );
  });

  test.each([
    ['UTF-8 beyond ASCII', 'phone,name\nx,José\n', [0xef, 0xbb, 0xbf]],
    ['ASCII', 'phone,name\nx,Ada\n', [0x72, 0x65, 0x6a]],
    ['UTF-8 with a mark', '\ufeffphone,name\nx,Ada\n', [0xef, 0xbb, 0xbf]],
    ['UTF-16 with a mark', Buffer.from('\ufeffphone,name\nx,Ada\n', 'utf16le'), [0xff, 0xfe, 0x72]],
    ['an encoding that is read only', Buffer.from('phone,name\nx,M\x9fller\n', 'latin1'), [0xef, 0xbb, 0xbf]],
  ])('knows the encoding of the rejected rows of a file in %s', async (name, content, first) => {
    const file = await temporaryFile('contacts.csv', content);
    const words = name.includes('read only') ? ['--encoding', 'macintosh'] : [];
    await importFile(at(await serve(), file, ...words));
    expect([...(await readFile(rejectsOf(file))).subarray(0, 3)]).toEqual(first);
  });

  test('can read properties that its encoding does not have', async () => {
    const served = await serve();
    const file = await temporaryFile('contacts.csv', Buffer.from('phone,name\nx,Jos\xe9\n', 'latin1'));
    await importFile(at(served, file, '--map', 'name=имя'));
    const rejects = await readFile(rejectsOf(file), 'utf8');
    expect(rejects).toMatch(/^\ufeffrejected_row,rejected_reason,phone,имя\n.*,x,José\n$/);
  });
});

test.each(formats.filter((_, place) => place % 47 === 0))(
  'rejected rows come back whole: $name',
  async (format) => {
    const file = await temporaryFile('contacts.csv', tableIn(format, rowsOfFormat));
    await expectSameFormat(file);
  },
);

describe('the next import', () => {
  test('uses the flags of the first one', async () => {
    const served = await serve();
    const file = await temporaryFile(
      'people.csv',
      Buffer.from('Mobile:Notes:Name\n+15551234001:x:J\x9frg\nx:y:Ada\n', 'latin1'),
    );
    const flags = ['--map', 'Mobile=phone', '--map', 'Notes=', '--delimiter', ':', '--encoding', 'macintosh'];
    expect((await importFile(at(served, file, ...flags))).exitCode).toBe(1);
    await appendFile(file, '+15551234002:z:Gr\x8fce\n', 'latin1');
    expect((await importFile(at(served, file))).output).toContain(
      '3 rows: 2 imported, 1 of them before, 1 rejected.',
    );
    expect(await upserted(served)).toEqual([
      { phone: '+15551234001', properties: { Name: 'Jürg' } },
      { phone: '+15551234002', properties: { Name: 'Grèce' } },
    ]);

    // The columns got other names, and flags win over what was kept.
    await writeFile(file, 'phone;Notes;Name\n+15551234001;x;Jürg\n+15551234003;y;Ada\n');
    expect((await importFile(at(served, file, '--map', 'Name='))).exitCode).toBe(0);
    expect((await upserted(served)).slice(2)).toEqual([
      { phone: '+15551234001', properties: { Notes: 'x' } },
      { phone: '+15551234003', properties: { Notes: 'y' } },
    ]);
  });

  test('uses them also if no row was imported, and for another server', async () => {
    const file = await table('Mobile,Name', '15551234001,Ada');
    const first = await serve();
    expect((await importFile(at(first, file, '--map', 'Mobile=phone'))).exitCode).toBe(1);
    await writeFile(file, 'Mobile,Name\n+15551234001,Ada\n');
    expect((await importFile(at(await serve(), file))).exitCode).toBe(0);
  });

  test('sends the rows that have changed, and the later ones of their contacts', async () => {
    const served = await serve();
    const file = await table(
      'phone,name',
      '+15551234001,a',
      '+15551234002,b',
      '+15551234001,c',
      '+15551234003,d',
      '+15551234003,d',
      'x,e',
      '+15551234004',
    );
    await importFile(at(served, file));
    const before = (await upserted(served)).length;
    expect(before).toBe(5);
    await writeFile(
      file,
      'phone,name\n+15551234001,A\n+15551234002,b\n+15551234001,c\n+15551234003,d\n+15551234003,d\n+15551234003,d\n+15551234004,f\n',
    );
    expect((await importFile(at(served, file))).output).toBe(
      '7 rows: 7 imported, 3 of them before, 0 rejected.',
    );
    expect(
      (await upserted(served)).slice(before).map(({ phone, properties }) => [phone, properties?.name]),
    ).toEqual([
      ['+15551234001', 'A'],
      ['+15551234001', 'c'],
      ['+15551234003', 'd'],
      ['+15551234004', 'f'],
    ]);
  });

  test('sends each row again if its columns are mapped in another way', async () => {
    const served = await serve();
    const file = await table('phone,name', '+15551234001,Ada', 'x,Grace');
    await importFile(at(served, file));
    await importFile(at(served, file, '--map', 'name=firstName'));
    expect(await upserted(served)).toEqual(
      ['name', 'firstName'].map((name) => ({ phone: '+15551234001', properties: { [name]: 'Ada' } })),
    );
  });

  test('continues a stopped one, though the file was sorted and saved in between', async () => {
    const served = await serve();
    const rows = Array.from({ length: 40 }, (_, row) => `+1555123${4000 + row},Ada`);
    const file = await table('phone,name', ...rows);
    const { terminal, stop } = start(['contacts', 'import', ...at(served, file)], { screen: true });
    await terminal.complaint(/9 of 40 rows/);
    await stop();
    const before = await phones(served);
    const saved = ['phone;name', ...rows.toReversed().map((row) => row.replace(',', ';'))];
    await writeFile(file, saved.join('\r\n'));
    expect((await importFile(at(served, file))).output).toBe(
      `40 rows: 40 imported, ${before.length} of them before, 0 rejected.`,
    );
    expect((await phones(served)).toSorted()).toEqual(rows.map((row) => row.slice(0, 12)));
  });

  test('keeps rejected rows that were edited, and writes over those that were not', async () => {
    const served = await serve();
    const file = await table('phone,name', '+15551234001,Ada', 'x,Grace');
    await importFile(at(served, file));
    expect((await importFile(at(served, file))).complaints).toBe('');
    const edited = 'rejected_row,rejected_reason,phone,name\n3,,+15551234002,Grace\n';
    await writeFile(rejectsOf(file), edited);
    const { complaints } = await importFile(at(served, file));
    const kept = file.replace('.csv', '.rejects.edited.csv');
    expect(complaints).toBe(
      `The rejected rows of the earlier import were edited. They are now in ${kept}: import that file, too, if you have not.\n`,
    );
    expect(await readFile(kept, 'utf8')).toBe(edited);
    expect(await readFile(rejectsOf(file), 'utf8')).toContain(',x,Grace');
    expect((await importFile(at(served, kept))).exitCode).toBe(0);
  });

  test('has a checkpoint that its owner alone can read', async () => {
    const file = await table('phone', '+15551234001', 'x');
    await importFile(at(await serve(), file));
    expect((await stat(checkpointOf(file))).mode & 0o777).toBe(0o600);
    expect(await readFile(checkpointOf(file), 'utf8')).not.toContain('15551234001');
  });
});

describe('a place that cannot be written', () => {
  test.each<[string, readonly string[], string]>([
    ['a folder for the rejected rows', ['--rejects', '/proc/self'], 'Name another file with --rejects.'],
    [
      'a folder that is not there',
      ['--rejects', '/nowhere/rejects.csv'],
      'Name another file with --rejects.',
    ],
    [
      'a file in place of a folder',
      ['--checkpoint', '/etc/hosts/x.json'],
      'with --checkpoint and --rejects.',
    ],
    ['a folder that takes no files', ['--checkpoint', '/proc/x.json'], 'with --checkpoint and --rejects.'],
  ])('is named with its flag: %s', async (_, words, complaint) => {
    const served = await serve();
    const file = await table('phone', '+15551234001', 'x');
    const { exitCode, complaints } = await importFile(at(served, file, ...words));
    expect(complaints).toContain(complaint);
    expect(exitCode).toBe(2);
    expect(await upserted(served)).toEqual([]);
  });

  test('is named if the disk is full', async () => {
    const file = await table('phone', 'x');
    const { exitCode, complaints } = await importFile(at(await serve(), file, '--rejects', '/dev/full'));
    expect(complaints).toMatch(/Cannot write the rejected rows to \/dev\/full\. ENOSPC.*--rejects/);
    expect(exitCode).toBe(1);
  });

  test('is named if a link leads there', async () => {
    const file = await table('phone', '+15551234001', 'x');
    await symlink('/nowhere/rejects.csv', rejectsOf(file));
    const { exitCode, complaints } = await importFile(at(await serve(), file));
    expect(complaints).toContain(`Cannot write the rejected rows to ${rejectsOf(file)}. ENOENT`);
    expect(exitCode).toBe(2);
    await rm(rejectsOf(file));
  });
});
