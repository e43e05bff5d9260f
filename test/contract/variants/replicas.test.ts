import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { warnOfMissing } from '../../webhooks/dedupe/availability.js';
import { findPostgres } from '../../webhooks/dedupe/postgres-programs.js';
import { startPostgres } from '../../webhooks/dedupe/postgres-server.js';
import { handsOn } from '../contract-case.js';
import { contractCases } from '../suite.js';
import { differenceOf } from './differences.js';
import { openSharedWorkspaces, type SharedWorkspaces } from './shared-workspaces.js';
import { allAtOnce, variants } from './variants.js';

const found = findPostgres();
const suffix = 'missing' in found ? ` (${warnOfMissing('PostgreSQL', found.missing)})` : '';

describe.runIf('programs' in found)(`two replicas over PostgreSQL${suffix}`, () => {
  let url = '';
  let stop = async () => {};

  beforeAll(async () => {
    if ('missing' in found) return;
    ({ url, stop } = await startPostgres(found));
  });

  afterAll(() => stop());

  for (const { name: variant, specGaps } of [...variants, { name: 'all switches', specGaps: allAtOnce }]) {
    describe(`the contract, with ${variant}`, () => {
      let workspaces: SharedWorkspaces;

      beforeAll(async () => {
        workspaces = await openSharedWorkspaces(url, specGaps);
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
