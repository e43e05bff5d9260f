import { expect, test } from 'vitest';
import { MemoryStore } from '../../../src/server/store/memory/memory-store.js';
import type { Store, WorkspaceStore } from '../../../src/server/store/store.js';
import { AlteredStore, alteredWorkspace, withVerbs } from './altered-store.js';
import { brokenStores, brokenVerbs, brokenWorkspaces } from './broken-stores.js';
import { inMemory } from './in-memory.js';
import type { CreateStore } from './opening.js';
import { allPromises, brokenPromises } from './suite.js';

const altered =
  (alter: (kept: WorkspaceStore, all: readonly WorkspaceStore[]) => WorkspaceStore): CreateStore =>
  async () =>
    inMemory((lease) => new AlteredStore(lease, alter));

/** Stores that are made to break one promise. */
const byPromise: readonly (readonly [promise: string, create: CreateStore])[] = [
  ...Object.entries(brokenStores).map(
    ([promise, breakStore]) =>
      [
        promise,
        async () =>
          inMemory((lease) => {
            const kept = new MemoryStore(lease);
            return withVerbs<Store>(kept, breakStore(kept));
          }),
      ] as const,
  ),
  ...Object.entries(brokenWorkspaces).map(
    ([promise, alteration]) =>
      [promise, altered((kept, all) => alteredWorkspace(kept, alteration, all))] as const,
  ),
];
const byVerb = Object.entries(brokenVerbs).map(([words, alter]) => [words, altered(alter)] as const);

test.each(byPromise)('a store that does not keep "%s" is found', async (promise, create) => {
  expect(await brokenPromises(create)).toContain(promise);
});

test.each(byVerb)('a store is found of which %s', async (_, create) => {
  expect(await brokenPromises(create)).not.toEqual([]);
});

test('each promise is broken by a store above', async () => {
  const found = new Set(byPromise.map(([promise]) => promise));
  for (const [, create] of byVerb) for (const promise of await brokenPromises(create)) found.add(promise);
  expect(allPromises.filter((promise) => !found.has(promise))).toEqual([]);
});

test('the checks find nothing in a store that is not altered', async () => {
  expect(await brokenPromises(altered((kept) => kept))).toEqual([]);
});
