import type { Lease } from '../../../src/server/store/memory/kept-records.js';
import type { Store } from '../../../src/server/store/store.js';
import type { StoreAtHand } from './opening.js';

/** A store in memory, and the clock by which its leases run out. */
export function inMemory(create: (lease: Lease) => Store): StoreAtHand {
  let now = 0;
  return {
    store: create({ duration: 12_000, now: () => now }),
    endLeases: async () => {
      now += 12_000;
    },
  };
}
