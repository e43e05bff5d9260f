import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, link, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { serveRequests } from './http-servers.js';
import {
  checkpointOf,
  importFile,
  rejectsOf,
  type Upserted,
  upserted,
  upserts,
} from './imported-contacts.js';
import { serve, start, temporaryFile } from './served.js';

const table = (...rows: readonly string[]) => temporaryFile('contacts.csv', `${rows.join('\n')}\n`);

/** `count` contacts in rows, each with another phone. */
const contacts = (count: number) => Array.from({ length: count }, (_, row) => `+1555123${4000 + row},Ada`);

describe('contacts import', () => {
  test.each<[string, string, readonly string[], readonly Upserted[]]>([
    [
      'with every other column as a property, and leaves no file behind',
      'phone,firstName,city\n+15551234567,Ada,London\n+15557654321,Grace,\n',
      [],
      [
        { phone: '+15551234567', properties: { firstName: 'Ada', city: 'London' } },
        { phone: '+15557654321', properties: { firstName: 'Grace' } },
      ],
    ],
    [
      'with its columns mapped to the phone, to properties and to nothing',
      'First name,Mobile,a=b,phone\nAda,+15551234567,c,not this\n',
      ['First name=firstName', 'Mobile=phone', 'a=b=d', 'phone='].flatMap((map) => ['--map', map]),
      [{ phone: '+15551234567', properties: { firstName: 'Ada', d: 'c' } }],
    ],
    [
      'past a byte order mark, CRLF, quotes, blank rows and white space around cells',
      '\ufeff"phone", name \r\n +15551234567\u00a0,"Lovelace, ""Ada""\r\nCountess"\r\n\r\n,\r\n+15557654321, Grüße',
      [],
      [
        { phone: '+15551234567', properties: { name: 'Lovelace, "Ada"\r\nCountess' } },
        { phone: '+15557654321', properties: { name: 'Grüße' } },
      ],
    ],
    [
      'by another delimiter',
      'phone;name\n+15551234567;Lovelace, Ada\n',
      ['--delimiter', ';'],
      [{ phone: '+15551234567', properties: { name: 'Lovelace, Ada' } }],
    ],
  ])('upserts a contact for each row, %s', async (_, content, words, contactsThere) => {
    const served = await serve();
    const file = await temporaryFile('contacts.csv', content);
    const { length } = contactsThere;
    const output = `${length} ${length === 1 ? 'row' : 'rows'}: ${length} imported, 0 rejected.`;
    const result = await importFile([file, '--url', served.url, ...words]);
    expect(result).toEqual({ exitCode: 0, output, complaints: '' });
    expect(await upserted(served)).toEqual(contactsThere);
    expect([existsSync(rejectsOf(file)), existsSync(checkpointOf(file))]).toEqual([false, false]);
  });

  test('keeps the rows that are refused, with their numbers and the reasons, so that they can be imported', async () => {
    const served = await serve();
    const file = await table(
      'phone,name',
      '+15551234567,Ada',
      '+1 555 765 4321,"Grace, Hopper"',
      '',
      '+15557654322',
      '+15557654323,Alan,Turing',
      ',Nobody',
    );
    const { exitCode, output, complaints } = await importFile([file, '--url', served.url]);
    expect(exitCode).toBe(1);
    expect(output).toBe(
      `5 rows: 1 imported, 4 rejected.\n${rejectsOf(file)} has the rejected rows, with the reasons.`,
    );
    expect(output + complaints).not.toMatch(/555 ?765|5551234567|test_key/);
    const [heading, ...rows] = (await readFile(rejectsOf(file), 'utf8')).trimEnd().split('\n');
    expect(heading).toBe('rejected_row,rejected_reason,phone,name');
    expect(rows.toSorted()).toEqual([
      expect.stringMatching(/^3,"The phone has spaces, .*",\+1 555 765 4321,"Grace, Hopper"$/),
      '5,"The row has 1 cells, and there are 2 columns.",+15557654322',
      '6,"The row has 3 cells, and there are 2 columns.",+15557654323,Alan,Turing',
      '7,The phone is empty.,,Nobody',
    ]);
    expect((await stat(rejectsOf(file))).mode & 0o777).toBe(0o600);
    expect(await upserted(served)).toHaveLength(1);

    // One of them is still wrong: its new row has one number and one reason.
    const corrected = `${heading}\n3,"It was, not E.164",+15557654321,Grace\n7,,x,Nobody`;
    await writeFile(rejectsOf(file), corrected);
    const again = rejectsOf(file);
    expect(await importFile([again, '--url', served.url])).toMatchObject({ exitCode: 1 });
    expect((await readFile(rejectsOf(again), 'utf8')).split('\n')).toEqual([
      heading,
      expect.stringMatching(/^3,"The phone has letters\. .*",x,Nobody$/),
      '',
    ]);
    expect((await upserted(served)).at(-1)).toEqual({ phone: '+15557654321', properties: { name: 'Grace' } });
  });

  test('names the columns of refused rows by their properties, so that they need no --map again', async () => {
    const served = await serve();
    const rows = ['555;call back;Ada, Countess', '+15551234567;x;Grace'];
    const file = await table('Mobile;Notes;First name', ...rows);
    const maps = ['Mobile=phone', 'First name=firstName', 'Notes='].flatMap((map) => ['--map', map]);
    const words = ['--delimiter', ';', ...maps];
    await importFile([file, '--url', served.url, ...words]);
    const rejects = await readFile(rejectsOf(file), 'utf8');
    expect(rejects).toMatch(/^rejected_row;rejected_reason;phone;firstName\n2;.*;555;Ada, Countess\n$/);
    await writeFile(rejectsOf(file), rejects.replace(';555;', ';+15557654321;'));
    expect(await importFile([rejectsOf(file), '--url', served.url])).toMatchObject({ exitCode: 0 });
    expect((await upserted(served)).at(-1)).toEqual({
      phone: '+15557654321',
      properties: { firstName: 'Ada, Countess' },
    });
  });

  test('checks every row and sends nothing in a dry run, without a key or a server', async () => {
    const file = await table('phone,name', ...contacts(22).map((row) => row.slice(1)), '+15551234567,Ada');
    await writeFile(rejectsOf(file), 'rows that a person corrects');
    const { exitCode, output } = await importFile([file, '--dry-run'], { env: {} });
    const lines = output.split('\n');
    expect(exitCode).toBe(1);
    expect(lines[0]).toBe('23 rows: 1 would be imported, 22 rejected. Nothing was sent.');
    expect(lines[1]).toMatch(/^Row 2: The phone has no \+/);
    expect(lines.slice(21)).toEqual(['And 2 more.']);
    expect(existsSync(checkpointOf(file))).toBe(false);
    expect(await readFile(rejectsOf(file), 'utf8')).toBe('rows that a person corrects');
  });

  test.each(['symlink', 'link'] as const)(
    'refuses a file of rejects that is the input by a %s',
    async (kind) => {
      const file = await table('phone', '+15551234567');
      const rejects = await temporaryFile('rejects.csv', '');
      await rm(rejects);
      await (kind === 'symlink' ? symlink(file, rejects) : link(file, rejects));
      const { exitCode, complaints } = await importFile([file, '--dry-run', '--rejects', rejects]);
      expect(exitCode).toBe(2);
      expect(complaints).toContain('must be three different files');
    },
  );

  test('refuses a pipe, which it cannot read twice', async () => {
    const pipe = await temporaryFile('contacts.csv', '');
    await rm(pipe);
    execFileSync('mkfifo', [pipe]);
    const { exitCode, complaints } = await importFile([pipe, '--dry-run']);
    expect(exitCode).toBe(2);
    expect(complaints).toContain('is not a regular file, and an import reads it more than once');
  });

  test('tells that the file was changed while it was imported', async () => {
    const served = await serve();
    // Longer than what one read of the file takes.
    const file = await table('phone,note', ...contacts(60).map((row) => `${row}${'x'.repeat(4_000)}`));
    const { terminal, ended } = start(['contacts', 'import', file, '--url', served.url], { screen: true });
    await terminal.complaint(/1 of 60 rows/);
    await appendFile(file, '\n');
    expect(await ended()).toBe(1);
    expect(terminal.complaints).toContain('was changed during the import');
  });

  test('stops at Ctrl-C, and goes on from there without a contact sent twice', async () => {
    const served = await serve();
    const rows = contacts(40);
    const file = await table('phone,name', ...rows);
    const { terminal, stop } = start(['contacts', 'import', file, '--url', served.url], { screen: true });
    await terminal.complaint(/1 of 40 rows/);
    const exitCode = await stop();
    const { output, complaints } = terminal;
    expect(exitCode).toBe(1);
    expect(output).toMatch(/^40 rows: \d+ imported, 0 rejected, \d+ not tried\.$/);
    expect(complaints).toContain(
      `Run the same command again to continue. ${checkpointOf(file)} holds the progress`,
    );
    const before = await upserted(served);
    expect(before.length).toBeLessThan(40);

    expect(await importFile([file, '--url', served.url])).toEqual({
      exitCode: 0,
      output: `40 rows: 40 imported, ${before.length} of them before, 0 rejected.`,
      complaints: '',
    });
    const phones = (await upserted(served)).map(({ phone }) => phone);
    expect(phones.toSorted()).toEqual(rows.map((row) => row.split(',')[0]));
    expect(existsSync(checkpointOf(file))).toBe(false);
  });

  test('says that it waits for the lock of an earlier run, and ends where that run still holds it', async () => {
    const file = await table('phone,name', ...contacts(2));
    const [checkpoint, link] = [checkpointOf(file), `${file}.link`];
    const lock = `${checkpoint}.lock`;
    await writeFile(lock, '');
    await symlink(checkpoint, link); // all names of a checkpoint have one lock
    const words = ['contacts', 'import', file, '--checkpoint', link, '--url', 'http://127.0.0.1:9'];
    const { terminal, exit } = start(words);
    await terminal.complaint(/Waiting up to 14 s for the lock of an earlier run/);
    let code: number | undefined;
    exit.then((ended) => {
      code = ended;
    });
    while (code === undefined) await appendFile(lock, '.'); // as its holder touches it
    expect(code).toBe(2);
    expect(terminal.complaints + terminal.output).toContain(`delete ${lock}`);
    await rm(lock);
  });

  test('ends with the last row of each contact, also over a stop and a fault', async () => {
    const served = await serve();
    const rows = Array.from({ length: 60 }, (_, row) => `+1555123400${row % 3},name ${row}`);
    const file = await table(
      'phone,name',
      ...rows,
      '+15551234000,last',
      '+15551234001,last',
      '+15551234002,last',
    );
    const words = [file, '--url', served.url];
    const fault = { kind: 'status', status: 500 };
    await served.ask('/control/faults', { operation: 'contacts.upsert', nth: 8, fault });
    const { terminal, stop } = start(['contacts', 'import', ...words], { screen: true });
    await terminal.complaint(/1\d of 63 rows/);
    await stop();
    const { output } = await importFile(words);
    expect(output).toContain('63 rows: 63 imported');

    const accepted = (await upserts(served)).filter(({ status }) => status < 300);
    for (const phone of ['+15551234000', '+15551234001', '+15551234002']) {
      const names = accepted.flatMap(({ contact }) =>
        contact.phone === phone ? [contact.properties?.name] : [],
      );
      const own = rows.filter((row) => row.startsWith(phone)).map((row) => row.split(',')[1]);
      expect(names.filter((name, place) => name !== names[place - 1])).toEqual([...own, 'last']);
    }
  });

  test('continues with a checkpoint of 0.2.0', async () => {
    const served = await serve();
    const file = await table('phone,name', ...contacts(4));
    const fault = { kind: 'status', status: 400 };
    await served.ask('/control/faults', { operation: 'contacts.upsert', nth: 2, fault });
    const words = [file, '--url', served.url, '--concurrency', '1'];
    await importFile(words);
    const [saved = ''] = (await readFile(checkpointOf(file), 'utf8')).split('\n');
    expect(JSON.parse(saved)).toMatchObject({ version: 3, rejected: [[1, 1]] });
    const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');
    const parts = [digestOf(await readFile(file, 'utf8')), ',', ['phone', 'name'], `${served.url}/api`];
    const source = digestOf(JSON.stringify(parts));
    const lists = { done: [[0, 0]], rejected: [], unknown: [[1, 1]] };
    const before = { version: 2, operation: 'contacts.upsert', ...lists, source };
    await writeFile(checkpointOf(file), `${JSON.stringify(before)}\n${JSON.stringify({ done: [[2, 2]] })}\n`);

    expect(await importFile(words)).toMatchObject({
      exitCode: 0,
      output: '4 rows: 4 imported, 2 of them before, 0 rejected.',
    });
    expect((await upserts(served)).slice(4).map(({ contact }) => contact.phone)).toEqual(
      [1, 3].map((row) => `+1555123${4000 + row}`),
    );
  });

  test('tries the rejected rows again, and only those', async () => {
    const served = await serve();
    const fault = { kind: 'status', status: 400 };
    await served.ask('/control/faults', { operation: 'contacts.upsert', nth: 2, fault });
    const file = await table('phone,name', ...contacts(4));
    const words = [file, '--url', served.url, '--concurrency', '1'];
    expect(await importFile(words)).toMatchObject({
      exitCode: 1,
      output: expect.stringContaining('4 rows: 3 imported, 1 rejected.'),
    });
    expect(await importFile(words)).toMatchObject({
      exitCode: 0,
      output: '4 rows: 4 imported, 3 of them before, 0 rejected.',
    });
    expect((await upserts(served)).map(({ status }) => status)).toEqual([201, 400, 201, 201, 201]);
    expect(existsSync(rejectsOf(file))).toBe(false);
  });

  test('does not continue with another server', async () => {
    const served = await serve();
    const file = await table('phone,name', '+15551234567,Ada', 'not one,Grace');
    await importFile([file, '--url', served.url]);
    const rejects = await readFile(rejectsOf(file), 'utf8');
    const { exitCode, complaints } = await importFile([file, '--url', (await serve()).url]);
    expect(exitCode).toBe(2);
    expect(complaints).toContain(
      `${checkpointOf(file)} belongs to another import: the server is another one`,
    );
    expect(await readFile(rejectsOf(file), 'utf8')).toBe(rejects);
  });

  test('stops where the key is refused, says why without it, and leaves no checkpoint', async () => {
    const served = await serve();
    const file = await table('phone,name', ...contacts(3));
    const wrong = ['--url', served.url, '--api-key', 'key_of_another', '--concurrency', '1'];
    const { exitCode, output, complaints } = await importFile([file, ...wrong]);
    expect(exitCode).toBe(1);
    expect(output).toContain('3 rows: 0 imported, 1 rejected, 2 not tried.');
    expect(complaints).toMatch(/^Stopped \(not_authorized: .*401/);
    expect(complaints).toContain('No row was imported. Run the same command again to start over.');
    expect(output + complaints).not.toContain('key_of_another');
    expect(existsSync(checkpointOf(file))).toBe(false);
    expect(await importFile([file, '--url', served.url])).toMatchObject({ exitCode: 0 });
  });

  test('stops where a proxy lets nothing through, and says what to do as every command, also in the rejects', async () => {
    const url = await serveRequests((_, response) => response.writeHead(407).end());
    const file = await table('phone,name', ...contacts(12));
    const { exitCode, complaints } = await importFile([file, '--url', url]);
    const remedy = 'Write them into its variable: HTTPS_PROXY=http://name:password@host:port';
    expect(exitCode).toBe(1);
    expect(complaints).toMatch(/^Stopped \(/);
    expect(complaints).toContain(`${remedy}).`);
    expect(await readFile(rejectsOf(file), 'utf8')).toContain(`${remedy}.`);
  });

  test('stops where the first ten rows are refused alike, says what to do, and begins anew with the corrected file', async () => {
    const served = await serve();
    const file = await table('phone,name', ...contacts(12).map((row) => row.slice(1)));
    const { exitCode, output, complaints } = await importFile([file, '--url', served.url]);
    expect(exitCode).toBe(1);
    expect(output).toMatch(/^12 rows: 0 imported, 1\d rejected/);
    expect(complaints).toMatch(/^Stopped \(all_rejected: .*Correct the file, or map its columns with --map/);
    expect(existsSync(checkpointOf(file))).toBe(false);

    await writeFile(file, `phone,name\n${contacts(12).join('\n')}\n`);
    expect(await importFile([file, '--url', served.url])).toMatchObject({
      exitCode: 0,
      output: '12 rows: 12 imported, 0 rejected.',
    });
  });

  test('tells how far it came: in one line on a screen, in a line now and then elsewhere', async () => {
    const file = await table('phone,name', ...contacts(250));
    const plain = await importFile([file, '--dry-run']);
    expect(plain.complaints.split('\n').map((line) => line.replace(/,.*/, ''))).toEqual([
      '100 of 250 rows (40 %)',
      '200 of 250 rows (80 %)',
      '',
    ]);
    const { complaints } = await importFile([file, '--dry-run'], { screen: true });
    const shown = complaints.split('\r\u001b[2K');
    expect(shown.at(0)).toBe('');
    expect(shown.at(1)).toBe('1 of 250 rows (0 %)');
    expect(shown.at(20)).toMatch(/^20 of 250 rows \(8 %\), [\d.]+ rows\/s, \d+ \w+.* left$/);
    expect(shown.at(-1)).toBe('');
    expect(complaints).not.toContain('\n');
  });

  test('prints JSON', async () => {
    const file = await table('phone', '+15551234567', 'not one');
    const { exitCode, output } = await importFile([file, '--dry-run', '--json']);
    expect(exitCode).toBe(1);
    expect(JSON.parse(output)).toEqual({
      file,
      dryRun: true,
      rows: 2,
      imported: 1,
      importedBefore: 0,
      rejected: 1,
      rejects: null,
      firstRejected: [{ row: 3, line: 3, reason: expect.stringContaining('The phone has letters.') }],
      stoppedBecause: null,
    });
  });

  test.each([
    ['an empty file', '', [], 'is empty. Its first row must name the columns'],
    ['no phone column', '+15551234567,Ada\n', [], 'None of the 2 columns is named phone.'],
    [
      'other names',
      'Telefon;Vorname\n',
      [],
      'The first row has "Telefon", "Vorname"; use --map COLUMN=phone',
    ],
    ['many names', 'a,b,c,d,e,f\n', [], 'has "a", "b", "c", "d", "e" …; use'],
    ['what may be a person', 'Ada,12345\n', [], 'The first row must name the columns; use'],
    ['an address', 'Ada,ada@example.com\n', [], 'The first row must name the columns; use'],
    ['a column without a name', 'phone,,name\n', [], 'Column 2 has no name.'],
    ['two columns for one property', 'phone,name,name\n', [], 'Columns 2 and 3 both set the same property.'],
    ['a column that is not there', 'phone\n', ['--map', 'Mobile=phone'], '--map names the column Mobile'],
    ['a misspelt column', 'Mobile\n', ['--map', 'Mobil=phone'], '(do you mean Mobile?)'],
    ['a quote that is not closed', 'phone\n"+15551234567\n', [], 'is not valid CSV at line'],
    ['a delimiter of two', 'phone\n', ['--delimiter', ';;'], 'It must be one character.'],
  ])('with %s makes no sense, and ends with 2', async (_, content, words, complaint) => {
    const file = await temporaryFile('contacts.csv', content);
    const { exitCode, output, complaints } = await importFile([file, '--dry-run', ...words]);
    expect(exitCode).toBe(2);
    expect(complaints).toContain(complaint);
    expect(output + complaints).not.toContain('5551234567');
  });
});
