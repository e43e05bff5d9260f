import { createMemoryKeyValueStore } from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../server/support/manual-clock.js';
import { listsEntries, takesAnyTimeToLive } from './store-checks.js';

describe('a store in memory', () => {
  const createStore = () => {
    const clock = new ManualClock();
    return {
      store: createMemoryKeyValueStore({ clock }),
      pass: (milliseconds: number) => clock.pass(milliseconds),
    };
  };
  listsEntries(createStore);
  takesAnyTimeToLive(createStore);

  test('that is full takes a new key once another has expired, and changes those that it has', async () => {
    const clock = new ManualClock();
    const store = createMemoryKeyValueStore({ clock, maxEntries: 2 });
    await store.set('brief', 'a', 1_000);
    await store.set('long', 'a', 60_000);
    await store.set('long', 'b', 60_000);
    await expect(store.set('new', 'a', 1_000)).rejects.toThrow('The store in memory is full.');
    await expect(store.setIfAbsent('new', 'a', 1_000)).rejects.toThrow('Raise its maxEntries, which is 2.');
    clock.pass(1_000);
    expect(await store.setIfAbsent('new', 'a', 1_000)).toBe(true);
    expect([await store.get('long'), await store.get('new')]).toEqual(['b', 'a']);
  });

  test('keeps a key for the whole of its last, begun millisecond', async () => {
    const { store, pass } = createStore();
    await store.set('key', 'a', 1_000.1);
    pass(1_000);
    expect(await store.get('key')).toBe('a');
    pass(1);
    expect(await store.get('key')).toBeUndefined();
  });
});
