import { expect, test } from 'vitest';
import { MemoryStore } from '../../../src/server/store/memory/memory-store.js';
import type { Store } from '../../../src/server/store/store.js';
import { AlteredStore, withVerbs } from './altered-store.js';
import { brokenStores, brokenWorkspaces } from './broken-stores.js';
import { inMemory } from './in-memory.js';
import type { CreateStore } from './opening.js';
import { allPromises, brokenPromises } from './suite.js';

const broken: readonly (readonly [promise: string, create: CreateStore])[] = [
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
  ...Object.entries(brokenWorkspaces).flatMap(([subject, promises]) =>
    Object.entries(promises).flatMap(([promise, alterations]) =>
      [alterations]
        .flat()
        .map(
          (alteration) =>
            [
              `${subject}: ${promise}`,
              async () => inMemory((lease) => new AlteredStore(lease, alteration)),
            ] as const,
        ),
    ),
  ),
];

test.each(broken)('a store that does not keep "%s" is found', async (promise, create) => {
  expect(await brokenPromises(create)).toContain(promise);
});

test('each promise is broken by a store above', () => {
  const found = new Set(broken.map(([promise]) => promise));
  expect(allPromises.filter((promise) => !found.has(promise))).toEqual([]);
});

test('the checks find nothing in a store that is not altered', async () => {
  expect(await brokenPromises(async () => inMemory((lease) => new AlteredStore(lease, () => ({}))))).toEqual(
    [],
  );
});
