import { expect, test } from 'vitest';
import { altered } from './altered-store.js';
import type { BrokenStore } from './broken-stores/broken-store.js';
import { brokenContacts } from './broken-stores/contacts.js';
import { brokenDefinitions } from './broken-stores/definitions.js';
import { brokenEvents } from './broken-stores/events.js';
import { brokenJourneyRuns } from './broken-stores/journey-runs.js';
import { brokenMessages } from './broken-stores/messages.js';
import { brokenOutboxes } from './broken-stores/outbox.js';
import { brokenSends } from './broken-stores/sends.js';
import { brokenStates } from './broken-stores/state.js';
import { brokenSubscriptions } from './broken-stores/subscriptions.js';
import { brokenWorkspaces } from './broken-stores/workspaces.js';
import { inMemory } from './in-memory.js';
import { allPromises, brokenPromises } from './suite.js';

const brokenStores: readonly BrokenStore[] = [
  ...brokenWorkspaces,
  ...brokenDefinitions,
  ...brokenContacts,
  ...brokenSends,
  ...brokenEvents,
  ...brokenJourneyRuns,
  ...brokenSubscriptions,
  ...brokenMessages,
  ...brokenOutboxes,
  ...brokenStates,
];

test.each(brokenStores)('a store that %s breaks "%s"', async (_, promise, create) => {
  expect(await brokenPromises(async () => inMemory(create))).toContain(promise);
});

test('each promise is broken by a store above', () => {
  const broken = new Set(brokenStores.map(([, promise]) => promise));
  expect(allPromises.filter((promise) => !broken.has(promise))).toEqual([]);
});

test('the checks find nothing in a store that is altered in nothing', async () => {
  expect(await brokenPromises(async () => inMemory(altered(() => ({}))))).toEqual([]);
});
