import { expect, test } from 'vitest';
import { FollowedJournal } from '../../../src/workbench/live/journal.js';
import { everything, passingOnce } from '../../../src/workbench/reading/filter.js';
import type { EntryJson } from '../../../src/workbench/surface/entry.js';
import { attemptOf, deliveryOf, messageOf, stepOf } from '../entries.js';

function journalOf(...entries: readonly EntryJson[]): FollowedJournal {
  const journal = new FollowedJournal();
  for (const entry of entries) journal.add(entry);
  return journal;
}

test('the journal keeps each entry once and finds it by its number, also after missed ones', () => {
  const journal = journalOf(messageOf(3), messageOf(4), messageOf(4), messageOf(3), messageOf(7));
  expect(journal.entries.map(({ number }) => number)).toEqual([3, 4, 7]);
  const found = [2, 3, 4, 5, 6, 7, 8].map((number) => journal.linked(`${number}`)?.number);
  expect(found).toEqual([undefined, 3, 4, undefined, undefined, 7, undefined]);
});

test('the journal has each delivery and run as it was last, and none after it begins again', () => {
  const journal = journalOf(
    messageOf(1),
    attemptOf(2, deliveryOf('a', { status: 'pending' })),
    attemptOf(3, deliveryOf('b', { status: 'pending' })),
    attemptOf(4, deliveryOf('a', { status: 'failed' })),
    stepOf(5, { id: 'run_1' }),
    stepOf(6, { id: 'run_2' }),
    stepOf(7, { id: 'run_1', status: 'finished' }),
  );
  expect([...journal.deliveries.value.values()].map(({ status }) => status)).toEqual(['failed', 'pending']);
  expect([...journal.runs.value.values()].map(({ status }) => status)).toEqual(['finished', 'waiting']);
  const isMessage = passingOnce({ ...everything, kind: 'message' }, () => undefined);
  const messages = () => journal.entries.filter(isMessage);
  expect(messages()).toEqual([messageOf(1)]);
  journal.clear();
  journal.add(messageOf(1, { body: 'after' }));
  expect(messages()).toEqual([messageOf(1, { body: 'after' })]);
  journal.show();
  expect([journal.entries.length, journal.deliveries.value.size, journal.runs.value.size]).toEqual([1, 0, 0]);
});

test('the journal keeps the newest 10,000 entries and counts all that are gone', () => {
  const journal = journalOf();
  journal.missed(5);
  for (let number = 6; number <= 25_000; number += 1) journal.add(messageOf(number));
  expect(journal.gone.value + journal.entries.length).toBe(25_000);
  expect(journal.entries[0]?.number).toBe(journal.gone.value + 1);
});
