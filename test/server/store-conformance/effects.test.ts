import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { AlteredStore, aroundVerbs, verbsThat } from './altered-store.js';
import { inMemory } from './in-memory.js';
import { brokenPromises } from './suite.js';

test('those verbs of a workspace write, and no others, that are declared to', async () => {
  const writers = new Set<string>();
  const create = async () =>
    inMemory(
      (lease) =>
        new AlteredStore(lease, (workspace) => {
          // The state leaves out the sends that are under way; what they take off the quota shows.
          const held = () => Promise.all([workspace.readState(), workspace.sends.readQuota()]);
          return aroundVerbs(workspace, async (verb, call, given) => {
            // A verb in memory does all that it does before it gives its promise.
            const [before, result, after] = [held(), call(...given), held()];
            if (!isDeepStrictEqual(await before, await after)) writers.add(verb);
            return result;
          });
        }),
    );
  expect(await brokenPromises(create)).toEqual([]);
  expect([...writers].sort()).toEqual([...verbsThat('writes')].sort());
});
