import { expect, test } from 'vitest';
import { MemoryStore } from '../../../src/server/store/memory/memory-store.js';
import { withContacts } from './events.js';
import { inMemory } from './in-memory.js';
import { sendOncePerStep } from './journey-runs.js';
import { openingOf, workspaceRecord } from './opening.js';
import { describeStore } from './suite.js';

describeStore('MemoryStore', async () => inMemory((lease) => new MemoryStore({ lease })));

test('the memory store sends and pays once for each step of a journey run, also if the step is taken again', async () => {
  const store = inMemory((lease) => new MemoryStore({ lease }));
  await sendOncePerStep(await withContacts(openingOf(store)));
});

test('the memory store says what it refuses', async () => {
  const store = new MemoryStore();
  const [one, two] = [workspaceRecord(), workspaceRecord()];
  await store.createWorkspace(one);
  await store.createWorkspace(two);
  await store.addApiKey(one.id, 'digest');
  await expect(store.createWorkspace(one)).rejects.toThrow('A workspace of this store has this id already.');
  await expect(store.addApiKey(two.id, 'digest')).rejects.toThrow(
    'This API key belongs to another workspace',
  );
  expect(() => store.workspace('unheard_of')).toThrow('No workspace of this store has this id.');
});
