import { expect, test } from 'vitest';
import { simulate } from './simulation.js';
import { troubles } from './troubles.js';

test.each(troubles)(
  'five hundred courses of deliveries keep their order, %s',
  { timeout: 600_000 },
  async (_, trouble) => {
    for (let seed = 1_001; seed <= 1_500; seed += 1) {
      const [processes, contacts] = [1 + (seed % 5), 1 + (seed % 7)];
      const { wrong } = await simulate({ seed, processes, contacts, deliveries: 60, trouble });
      expect(wrong, `with the seed ${seed}`).toEqual([]);
    }
  },
);
