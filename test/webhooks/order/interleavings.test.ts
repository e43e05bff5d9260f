import { expect, test } from 'vitest';
import { simulate } from './simulation.js';
import { troubles } from './troubles.js';

test.each(troubles)(
  'deliveries of a contact run one after the other, in order, %s',
  async (_, trouble, ends) => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= 5; seed += 1) {
      const { wrong, deliveries } = await simulate({
        seed,
        processes: 3,
        contacts: 4,
        deliveries: 30,
        trouble,
      });
      expect(wrong, `with the seed ${seed}`).toEqual([]);
      for (const { state } of deliveries) seen.add(state);
    }
    expect([...seen].sort()).toEqual(ends);
  },
);
