import { describe, expect, test } from 'vitest';
import { handsOn } from '../contract-case.js';
import { contractCases } from '../suite.js';
import { createInProcessWorld } from '../worlds/in-process.js';
import { differenceOf, differences } from './differences.js';
import { allAtOnce, variants } from './variants.js';

for (const { name: variant, specGaps } of [...variants, { name: 'all switches', specGaps: allAtOnce }]) {
  describe(`the contract, with ${variant}`, () => {
    for (const { name, run, options } of contractCases) {
      test(name, async () => {
        const world = await createInProcessWorld(specGaps)(options);
        const difference = differenceOf(specGaps, name);
        try {
          const outcome = run(handsOn(world));
          if (difference === undefined) await outcome;
          else await expect(outcome, difference.why).rejects.toThrow(difference.failure);
        } finally {
          await world.close();
        }
      });
    }
  });
}

test('what is to differ names a case that there is, and a value that is tried', () => {
  const names = contractCases.map(({ name }) => name);
  for (const { name, values, cases } of differences) {
    expect(names).toEqual(expect.arrayContaining([...cases]));
    const tried = variants.map(({ specGaps }) => specGaps[name]);
    expect(tried).toEqual(expect.arrayContaining([...values]));
  }
});
