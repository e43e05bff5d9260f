/**
 * Fixtures for Vitest: each test has a workspace and a client of its own, on one reference server per file.
 *
 * ```ts vitest
 * import { expect, test as base } from 'vitest';
 * import { type WorkspaceFixtures, workspaceFixtures } from 'messaging-automation/vitest';
 *
 * const test = base.extend<WorkspaceFixtures>(
 *   workspaceFixtures({ templates: [{ id: 'welcome', body: 'Welcome, {{1}}' }] }),
 * );
 *
 * test('sends the welcome', async ({ messaging, workspace }) => {
 *   await messaging.contacts.upsert({ phone: '+15551234567' });
 *   await messaging.transactional.send({ phone: '+15551234567', templateId: 'welcome', variables: { '1': 'Ada' } });
 *
 *   expect((await workspace.sends.waitFor({ contact: '+15551234567' })).text).toBe('Welcome, Ada');
 * });
 * ```
 *
 * Read on: [test your integration](../../docs/guides/test-your-integration.md).
 *
 * @module messaging-automation/vitest
 */
export {
  type WorkspaceFixtureDefinitions,
  type WorkspaceFixtures,
  workspaceFixtures,
} from './workspace-fixtures.js';
