import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { MemoryStore } from '../../../src/server/store/memory/memory-store.js';
import { inMemory } from './in-memory.js';
import { listed } from './opening.js';
import { brokenPromises } from './suite.js';

test('each call that changes the content of a workspace reports it, and no call that only reads', async () => {
  let changes = 0;
  const [writers, reporters, silent] = [new Set<string>(), new Set<string>(), new Set<string>()];
  class WatchedStore extends MemoryStore {
    override workspace(id: string) {
      const workspace = super.workspace(id);
      // The state leaves out the sends that are under way, and shows the deliveries that nobody awaits as cancelled.
      const held = () =>
        Promise.all([workspace.readState(), workspace.sends.readQuota(), listed(workspace.outbox)]);
      return aroundVerbs(workspace, async (verb, call) => {
        const earlier = changes;
        // A verb in memory does all that it does before it gives its promise.
        const [before, result, after] = [held(), call(), held()];
        const isReported = changes > earlier;
        if (isReported) reporters.add(verb);
        if (!isDeepStrictEqual(await before, await after)) {
          writers.add(verb);
          if (!isReported) silent.add(verb);
        }
        return result;
      });
    }
  }
  const changed = () => {
    changes += 1;
  };
  expect(await brokenPromises(async () => inMemory((lease) => new WatchedStore({ lease, changed })))).toEqual(
    [],
  );
  expect([...silent]).toEqual([]);
  expect([...reporters].sort()).toEqual([...writers].sort());
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
