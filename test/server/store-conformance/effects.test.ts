import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import type { Effects } from '../../../src/server/store/effects.js';
import type { Lease } from '../../../src/server/store/memory/claims.js';
import { MemoryStore } from '../../../src/server/store/memory/memory-store.js';
import { type Store, storeEffects, type WorkspaceStore } from '../../../src/server/store/store.js';
import { inMemory } from './in-memory.js';
import { brokenPromises } from './suite.js';

const { workspace: workspaceEffects } = storeEffects;

/** The verbs of a workspace that are declared to have the effect, such as `contacts.upsert`. */
function verbsThat(effect: 'reads' | 'writes', effects: Effects, prefix = ''): readonly string[] {
  return Object.entries(effects).flatMap(([name, declared]) => {
    if (typeof declared !== 'string') return verbsThat(effect, declared, `${prefix}${name}.`);
    return declared === effect ? [prefix + name] : [];
  });
}

/** A store in memory that adds each verb of its workspaces that has changed their state. */
class RecordingStore extends MemoryStore {
  readonly #writers: Set<string>;

  constructor(lease: Lease, writers: Set<string>) {
    super(lease);
    this.#writers = writers;
  }

  override workspace(workspaceId: string): WorkspaceStore {
    const workspace = super.workspace(workspaceId);
    // The state leaves out the sends that are under way; what they take off the quota shows.
    const held = () => Promise.all([workspace.readState(), workspace.sends.readQuota()]);
    return recording(workspace, '', async (verb, perform) => {
      // A verb in memory does all that it does before it gives its promise.
      const [before, result, after] = [held(), perform(), held()];
      if (!isDeepStrictEqual(await before, await after)) this.#writers.add(verb);
      return result;
    });
  }
}

function recording<Part extends object>(
  part: Part,
  prefix: string,
  around: (verb: string, perform: () => unknown) => unknown,
): Part {
  return new Proxy(part, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      const verb = prefix + String(name);
      if (typeof member === 'function')
        return (...given: unknown[]) => around(verb, () => Reflect.apply(member, target, given));
      return typeof member === 'object' && member !== null ? recording(member, `${verb}.`, around) : member;
    },
  });
}

test('those verbs of a workspace write, and no others, that are declared to', async () => {
  const writers = new Set<string>();
  const create = (lease: Lease): Store => new RecordingStore(lease, writers);

  expect(await brokenPromises(async () => inMemory(create))).toEqual([]);
  expect([...writers].sort()).toEqual([...verbsThat('writes', workspaceEffects)].sort());
});
