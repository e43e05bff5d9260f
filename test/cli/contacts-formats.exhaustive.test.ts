import { expect, test } from 'vitest';
import { contactIn, openTable, rowsOf } from '../../src/cli/contacts/contacts-table.js';
import { formats, rowsOfFormat, tableIn } from './contacts-formats.js';
import { expectSameFormat } from './imported-contacts.js';
import { temporaryFile } from './served.js';

test.each(formats)('a file is read, and its rejected rows come back whole: $name', async (format) => {
  const file = await temporaryFile('contacts.csv', tableIn(format, rowsOfFormat));
  const table = await openTable(file, {});
  const contacts: unknown[] = [];
  for await (const row of rowsOf(table)) contacts.push(contactIn(row, table));
  const [, ...rows] = rowsOfFormat;
  expect(contacts).toEqual(
    rows.map(([phone, name, note]) => ({ phone, properties: { name, ...(note && { note }) } })),
  );
  await expectSameFormat(file);
});
