import { createMemoryDedupeStore } from 'messaging-automation/webhooks';
import { describe } from 'vitest';
import { keepsThePromises } from './conformance.js';

describe('the store in memory', () => {
  keepsThePromises(() => {
    let now = Date.UTC(2026, 0, 1);
    return {
      store: createMemoryDedupeStore({ clock: { now: () => now } }),
      pass: (milliseconds) => {
        now += milliseconds;
      },
    };
  });
});
