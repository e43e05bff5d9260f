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

  test('keeps a key for the whole of its last, begun millisecond', async () => {
    const { store, pass } = createStore();
    await store.set('key', 'a', 1_000.1);
    pass(1_000);
    expect(await store.get('key')).toBe('a');
    pass(1);
    expect(await store.get('key')).toBeUndefined();
  });
});
