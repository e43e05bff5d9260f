import { describe, expect, test } from 'vitest';
import type { JournalEntry } from '../../../src/server/model/journal-entry.js';
import { startWithEveryEntry } from '../../server/inspection/every-entry.js';
import { missingPostgres, usePostgres } from '../support/database.js';
import { emptyWorkspace, messageEntry, openTwo } from '../support/replicas.js';

const message = (body: string): JournalEntry => Object.assign({ ...messageEntry }, { body });

/** With texts and bytes that JSON cannot contain. */
const oddRequest: JournalEntry = {
  type: 'request',
  at: 1_767_225_600_000.5,
  requestId: 'request',
  operation: 'contacts.upsert',
  method: 'POST',
  path: '/api/v1/contacts?a=%00',
  body: Uint8Array.of(0xff, 0, 0x22, 0x5c),
  status: 201,
  responseBody: 'NUL \0, half a pair \ud800, "quotes" and \\',
  faults: [{ kind: 'latency', duration: '1s' }],
};

describe.skipIf(missingPostgres)('the journal that replicas share', () => {
  const postgres = usePostgres();

  async function openJournal() {
    const { journal } = await openBoth();
    return journal;
  }

  /** The journal of a workspace at one replica, and that of another workspace at the other. */
  async function openBoth() {
    const { one, other } = await openTwo(postgres());
    for (const id of ['w', 'v']) await one.store.records.addWorkspace(emptyWorkspace(id));
    const [{ journal }, { journal: beside }] = [
      one.store.records.workspace('w'),
      other.store.records.workspace('v'),
    ];
    return { journal, beside, one, other };
  }

  test('returns every kind of entry as it was written', async () => {
    const journal = await openJournal();
    const entries = [oddRequest, ...(await (await startWithEveryEntry()).journal.entries())];
    await journal.append({ number: 1, entries });
    const read = (await journal.readAfter(0, 100)).entries.map(([, entry]) => entry);
    expect(read).toStrictEqual(entries);
    const bodies = [read, entries].map((all) =>
      all.flatMap((entry) => (entry.type === 'attempt' ? [entry.delivery.body] : [])),
    );
    expect(bodies[0]).toStrictEqual(bodies[1]);
    const attempt = read.find((entry) => entry.type === 'attempt');
    expect(Object.keys(attempt?.delivery ?? { body: '' })).not.toContain('body');
  });

  test('numbers the entries of two replicas without gaps, in one order for both', async () => {
    const { one, other, beside } = await openBoth();
    const appendBeside = async () => {
      for (let number = 1; number <= 10; number += 1) {
        await beside.append({ number, entries: [message(`${number}`)] });
      }
    };
    const appendTogether = Array.from({ length: 200 }, async (_, index) => {
      const { store } = index % 2 === 0 ? one : other;
      const entries = [message(`${index}a`), message(`${index}b`)];
      await store.records.workspace('w').journal.append({ number: 1, entries });
    });
    await Promise.all([...appendTogether, appendBeside()]);
    const { entries } = await beside.readAfter(0, 1_000);
    expect(entries.map(([number]) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const page = await one.store.records.workspace('w').journal.readAfter(0, 1_000);
    expect(page.entries.map(([number]) => number)).toEqual(
      Array.from({ length: 400 }, (_, index) => index + 1),
    );
    expect(page).toMatchObject({ latest: 400, latestGone: 0, clears: 0 });
    expect(await other.store.records.workspace('w').journal.readAfter(0, 1_000)).toEqual(page);
    const bodies = page.entries.map(([, entry]) => (entry.type === 'message' ? entry.body : ''));
    for (const [index, body] of bodies.entries()) {
      if (body.endsWith('a')) expect(bodies[index + 1]).toBe(body.replace('a', 'b'));
    }
    await other.told.until(({ changes }) => changes.some(([id, part]) => id === 'w' && part === 'journal'));
  });

  test('is read in pages, and keeps its numbers when it is cleared', async () => {
    const journal = await openJournal();
    expect(await journal.readAfter(0, 10)).toEqual({ entries: [], latest: 0, latestGone: 0, clears: 0 });
    await journal.append({ number: 1, entries: ['1', '2', '3'].map(message) });
    expect(await journal.readAfter(1, 1)).toMatchObject({ entries: [[2, { body: '2' }]], latest: 3 });
    await journal.clear();
    expect(await journal.readAfter(0, 10)).toEqual({ entries: [], latest: 3, latestGone: 3, clears: 1 });
    await journal.append({ number: 2, entries: [message('4')] });
    expect(await journal.readAfter(0, 10)).toMatchObject({ entries: [[4, { body: '4' }]], latestGone: 3 });
  });

  test('is read in pages of at most 8 MiB and one entry, whatever another one holds', async () => {
    const { journal, beside } = await openBoth();
    const large = message('1234567 '.repeat(128 * 1024));
    const small = ['1', '2', '3'].map(message);
    await Promise.all([
      journal.append({ number: 1, entries: Array.from({ length: 20 }, () => large) }),
      beside.append({ number: 1, entries: small }),
    ]);
    expect((await beside.readAfter(0, 1_000)).entries.map(([, entry]) => entry)).toEqual(small);
    const sizes: number[] = [];
    for (let latest = 0; latest < 20; ) {
      const { entries } = await journal.readAfter(latest, 1_000);
      sizes.push(entries.length);
      latest = entries.at(-1)?.[0] ?? Number.NaN;
    }
    expect(sizes).toEqual([8, 8, 4]);
  });

  test('of a deleted workspace is not that of a later one with its id', async () => {
    const { one, other } = await openTwo(postgres());
    await one.store.records.addWorkspace(emptyWorkspace('w'));
    const earlier = one.store.records.workspace('w');
    await earlier.settings.read();
    await earlier.journal.append({ number: 1, entries: [message('of the earlier one')] });
    await other.store.records.deleteWorkspace('w');
    expect(await earlier.journal.readAfter(0, 10)).toMatchObject({ entries: [], latest: 0 });
    await other.store.records.addWorkspace(emptyWorkspace('w'));
    const { journal } = other.store.records.workspace('w');
    await journal.append({ number: 1, entries: [message('of the later one')] });
    await earlier.journal.append({ number: 2, entries: [message('late')] });
    await earlier.journal.clear();

    expect(await journal.readAfter(0, 10)).toMatchObject({ entries: [[1, { body: 'of the later one' }]] });
    expect(await earlier.journal.readAfter(0, 10)).toMatchObject({ entries: [], latest: 0 });
  });

  test('drops its oldest entries when there are more than 11,000, and none of another one', async () => {
    const { journal, beside } = await openBoth();
    await beside.append({ number: 1, entries: [message('beside')] });
    const most = Array.from({ length: 11_000 }, (_, index) => message(`${index}`));
    await journal.append({ number: 1, entries: most });
    expect(await journal.readAfter(0, 1)).toMatchObject({ entries: [[1, {}]], latestGone: 0 });
    await journal.append({ number: 2, entries: [message('one more')] });
    expect(await journal.readAfter(0, 1)).toMatchObject({
      entries: [[1_002, {}]],
      latest: 11_001,
      latestGone: 1_001,
    });
    expect(await beside.readAfter(0, 1)).toMatchObject({ entries: [[1, { body: 'beside' }]], latestGone: 0 });
  });
});
