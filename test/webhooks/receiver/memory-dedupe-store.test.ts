import { createMemoryDedupeStore } from 'messaging-automation/webhooks';
import { expect, test } from 'vitest';
import { ManualClock } from '../../server/support/manual-clock.js';

function storeOf(maxEntries?: number) {
  const clock = new ManualClock();
  const store = createMemoryDedupeStore({ clock, maxEntries });
  const claim = (key: string, holder = 'a') => store.claim(key, { holder, lease: 1_000 });
  const commit = (key: string) => store.commit(key, { holder: 'a', ttl: 5_000 });
  return { claim, clock, commit, store };
}

test('of any number of claims at once, one gets it', async () => {
  const { claim } = storeOf();
  expect(await Promise.all(['a', 'b', 'c'].map((holder) => claim('key', holder)))).toEqual([
    'claimed',
    'in_progress',
    'in_progress',
  ]);
  expect(await claim('another key')).toBe('claimed');
});

test('a claim ends with its lease', async () => {
  const { claim, clock } = storeOf();
  await claim('key');
  clock.pass(999);
  expect(await claim('key', 'b')).toBe('in_progress');
  clock.pass(1);
  expect(await claim('key', 'b')).toBe('claimed');
});

test('what is done is so for as long as told, and no release undoes it', async () => {
  const { claim, clock, commit, store } = storeOf();
  await claim('key');
  await commit('key');
  await store.release('key', { holder: 'a' });
  clock.pass(4_999);
  expect(await claim('key')).toBe('done');
  clock.pass(1);
  expect(await claim('key')).toBe('claimed');
});

test('a claim is given up by its holder alone', async () => {
  const { claim, clock, store } = storeOf();
  await claim('key', 'a');
  clock.pass(1_000);
  await claim('key', 'b');
  await store.release('key', { holder: 'a' });
  expect(await claim('key', 'c')).toBe('in_progress');
  await store.release('key', { holder: 'b' });
  expect(await claim('key', 'c')).toBe('claimed');
});

test('the oldest is forgotten beyond the bound', async () => {
  const { claim, commit } = storeOf(2);
  for (const key of ['1', '2', '3']) await commit(key);
  expect(await Promise.all(['2', '3', '1'].map((key) => claim(key)))).toEqual(['done', 'done', 'claimed']);
});

test('what is committed again counts as new', async () => {
  const { claim, commit } = storeOf(2);
  for (const key of ['1', '2', '1', '3']) await commit(key);
  expect(await Promise.all(['1', '3', '2'].map((key) => claim(key)))).toEqual(['done', 'done', 'claimed']);
});

test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
  'a bound of %d is a TypeError',
  (maxEntries) => {
    expect(() => createMemoryDedupeStore({ maxEntries })).toThrow(TypeError);
  },
);

test('goes by the machine clock unless told otherwise', async () => {
  const store = createMemoryDedupeStore();
  expect(await store.claim('key', { holder: 'a', lease: 60_000 })).toBe('claimed');
  expect(await store.claim('key', { holder: 'b', lease: 60_000 })).toBe('in_progress');
});
