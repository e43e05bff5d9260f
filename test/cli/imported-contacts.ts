import { expect } from 'vitest';
import { openTable, rowsOf } from '../../src/cli/contacts/contacts-table.js';
import { RejectsFile } from '../../src/cli/contacts/rejects-file.js';
import { rowsOfFormat } from './contacts-formats.js';
import type { TerminalOptions } from './fake-terminal.js';
import { runCommand, type Served } from './served.js';

/** Runs `contacts import` to its end. */
export async function importFile(words: readonly string[], options: TerminalOptions = {}) {
  const { lines, ...result } = await runCommand(['contacts', 'import', ...words], options);
  return result;
}

/** What the server was asked to upsert, as its journal has it. */
export async function upserts(served: Served): Promise<readonly { status: number; contact: Upserted }[]> {
  const requests: { status: number; contact: Upserted }[] = [];
  let cursor = '';
  for (;;) {
    const response = await served.ask(`/control/journal?type=request${cursor && `&cursor=${cursor}`}`);
    const page = await response.json();
    for (const { operation, status, body } of page.data) {
      if (operation === 'contacts.upsert') requests.push({ status, contact: JSON.parse(body) });
    }
    if (!page.more) return requests;
    cursor = page.cursor;
  }
}

export interface Upserted {
  readonly phone: string;
  readonly properties?: Readonly<Record<string, string>>;
}

/** The contacts that the server was asked to upsert. */
export const upserted = async (served: Served) => (await upserts(served)).map(({ contact }) => contact);

export const rejectsOf = (file: string) => file.replace('.csv', '.rejects.csv');
export const checkpointOf = (file: string) => file.replace('.csv', '.checkpoint.json');

/** Expects that the file of rejected rows has the contacts of a file, in its format. */
export async function expectSameFormat(file: string): Promise<void> {
  const table = await openTable(file, {});
  const rejects = new RejectsFile(rejectsOf(file), table);
  await rejects.begin();
  for await (const row of rowsOf(table)) await rejects.add(row, 'Because of a; b, "c"');
  const again = await openTable(rejectsOf(file), {});
  const { encoding, ...dialect } = table.dialect;
  expect(again.dialect).toMatchObject({ ...dialect, encoding: { name: encoding.name } });
  expect(String(again.marks)).toBe(String(table.marks));
  expect(again.rows).toBe(rowsOfFormat.length - 1);
}
