import type { MessagingAutomation } from '../client/client.js';
import {
  createReferenceServer,
  type ReferenceServer,
  type ReferenceServerOptions,
  type ReferenceWorkspace,
  type WorkspaceSeed,
} from '../server/index.js';

/** What `workspaceFixtures` gives to each test. */
export interface WorkspaceFixtures {
  /** The server that the tests of a file share. */
  readonly referenceServer: ReferenceServer;
  /** Where that server listens, for code under test that is given a base URL. It listens once a test asks for it. */
  readonly baseUrl: string;
  /**
   * What each workspace begins with: what `workspaceFixtures` was given, until `test.override('workspaceSeed', seed)` says
   * otherwise for a file or a `describe` (`test.scoped({ workspaceSeed })` in Vitest 3).
   */
  readonly workspaceSeed: WorkspaceSeed;
  /** A workspace of the test's own. It ends with its test. */
  readonly workspace: ReferenceWorkspace;
  /** A client of that workspace, which needs no socket. */
  readonly messaging: MessagingAutomation;
}

/** Hands a fixture's value to the tests, and resolves when they are done with it. */
type Use<Value> = (value: Value) => Promise<void>;

/** How the fixtures come about, in the form that Vitest's `test.extend` takes. */
export interface WorkspaceFixtureDefinitions {
  /** Makes the file's server, and closes it. */
  referenceServer: [(needs: object, use: Use<ReferenceServer>) => Promise<void>, { scope: 'file' }];
  /** Has the server listen. */
  baseUrl: [
    (needs: Pick<WorkspaceFixtures, 'referenceServer'>, use: Use<string>) => Promise<void>,
    { scope: 'file' },
  ];
  /** Hands out the seed. */
  workspaceSeed(needs: object, use: Use<WorkspaceSeed>): Promise<void>;
  /** Makes the test's workspace, and ends it. */
  workspace(
    needs: Pick<WorkspaceFixtures, 'referenceServer' | 'workspaceSeed'>,
    use: Use<ReferenceWorkspace>,
  ): Promise<void>;
  /** Hands out the workspace's client. */
  messaging(needs: Pick<WorkspaceFixtures, 'workspace'>, use: Use<MessagingAutomation>): Promise<void>;
}

/**
 * Fixtures for Vitest's `test.extend`: a workspace of its own for each test, all of a file's on one server. Tests may run
 * at once, with `test.concurrent`, without seeing each other.
 *
 * @param seed - What each workspace begins with. Default clock: `frozen`.
 * @param options - How the server is to be.
 * @example
 * ```ts vitest
 * import { expect, test as base } from 'vitest';
 * import { type WorkspaceFixtures, workspaceFixtures } from 'messaging-automation/vitest';
 *
 * const templates = [{ id: 'welcome', body: 'Welcome, {{1}}!' }];
 * const test = base.extend<WorkspaceFixtures>(workspaceFixtures({ templates }));
 *
 * test('welcomes a contact', async ({ workspace, messaging }) => {
 *   await messaging.contacts.upsert({ phone: '+15551234567' });
 *   await messaging.transactional.send({ phone: '+15551234567', templateId: 'welcome', variables: { '1': 'Ada' } });
 *   expect(await workspace.sends.waitFor()).toMatchObject({ text: 'Welcome, Ada!' });
 * });
 * ```
 */
export function workspaceFixtures(
  seed: WorkspaceSeed = {},
  options: ReferenceServerOptions = {},
): WorkspaceFixtureDefinitions {
  return {
    referenceServer: [
      // Vitest reads which fixtures a fixture needs from the names in its first parameter; here there are none.
      // biome-ignore lint/correctness/noEmptyPattern: as above
      async ({}, use) => {
        const server = createReferenceServer({ clock: 'frozen', ...options });
        await use(server);
        await server.close();
      },
      { scope: 'file' },
    ],
    baseUrl: [
      async ({ referenceServer }, use) => use((await referenceServer.listen()).baseUrl),
      { scope: 'file' },
    ],
    // biome-ignore lint/correctness/noEmptyPattern: as above
    workspaceSeed: async ({}, use) => use(seed),
    workspace: async ({ referenceServer, workspaceSeed }, use) => {
      const workspace = referenceServer.workspace(workspaceSeed);
      await use(workspace);
      await workspace.close();
    },
    messaging: async ({ workspace }, use) => use(workspace.client),
  };
}
