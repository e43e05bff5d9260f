import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { missingPostgres, usePostgres } from '../../postgres/support/database.js';
import { handsOn } from '../contract-case.js';
import { contractCases } from '../suite.js';
import { differenceOf } from './differences.js';
import { openSharedWorkspaces, type SharedWorkspaces } from './shared-workspaces.js';
import { allAtOnce, variants } from './variants.js';

describe.skipIf(missingPostgres)('two replicas over PostgreSQL', () => {
  const postgres = usePostgres();

  for (const { name: variant, specGaps } of [...variants, { name: 'all switches', specGaps: allAtOnce }]) {
    describe(`the contract, with ${variant}`, () => {
      let workspaces: SharedWorkspaces;

      beforeAll(async () => {
        workspaces = await openSharedWorkspaces(postgres().connectionString, specGaps);
      });

      afterAll(() => workspaces[Symbol.asyncDispose]());

      for (const { name, run, options } of contractCases) {
        test(name, async () => {
          const world = await workspaces.createWorld(options);
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
});
