import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import type { Effects } from '../../../src/server/store/effects.js';
import { MemoryStore } from '../../../src/server/store/memory/memory-store.js';
import { storeEffects } from '../../../src/server/store/store.js';
import { inMemory } from './in-memory.js';
import { brokenPromises } from './suite.js';

test('those verbs of a workspace write, and no others, that are declared to', async () => {
  const writers = new Set<string>();
  class WatchedStore extends MemoryStore {
    override workspace(id: string) {
      const workspace = super.workspace(id);
      // The state leaves out the sends that are under way; what they take off the quota shows.
      const held = () => Promise.all([workspace.readState(), workspace.sends.readQuota()]);
      return aroundVerbs(workspace, async (verb, call) => {
        // A verb in memory does all that it does before it gives its promise.
        const [before, result, after] = [held(), call(), held()];
        if (!isDeepStrictEqual(await before, await after)) writers.add(verb);
        return result;
      });
    }
  }
  expect(await brokenPromises(async () => inMemory((lease) => new WatchedStore(lease)))).toEqual([]);
  expect([...writers].sort()).toEqual([...writersIn(storeEffects.workspace)].sort());
});

/** An object each verb of which, also of its parts, is called by a function. */
function aroundVerbs<Part extends object>(
  part: Part,
  around: (verb: string, call: () => unknown) => unknown,
  prefix = '',
): Part {
  return new Proxy(part, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      const verb = prefix + String(name);
      if (typeof member === 'function')
        return (...given: unknown[]) => around(verb, () => Reflect.apply(member, target, given));
      return typeof member === 'object' && member !== null ? aroundVerbs(member, around, `${verb}.`) : member;
    },
  });
}

/** The verbs that are declared to write. */
function writersIn(effects: Effects, prefix = ''): readonly string[] {
  return Object.entries(effects).flatMap(([name, declared]) => {
    if (typeof declared !== 'string') return writersIn(declared, `${prefix}${name}.`);
    return declared === 'writes' ? [prefix + name] : [];
  });
}
