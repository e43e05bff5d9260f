import { createMemoryKeyValueStore } from 'messaging-automation';
import { describe } from 'vitest';
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
});
