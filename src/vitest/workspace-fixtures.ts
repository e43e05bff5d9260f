import type { MessagingAutomation } from '../client/client.js';
import type { Workspace } from '../client/workspace/workspace.js';
import {
  createReferenceServer,
  type ReferenceServer,
  type ReferenceServerOptions,
  type ReferenceWorkspace,
  type WorkspaceSeed,
} from '../server/index.js';

/**
 * The fixtures that {@link workspaceFixtures} adds to each test. `W` is the type of the option `workspace`, if you pass one:
 * `WorkspaceFixtures<typeof workspace>`.
 */
export interface WorkspaceFixtures<W extends Workspace = Workspace> {
  /** The reference server, shared by the tests of a file. */
  readonly referenceServer: ReferenceServer<W>;
  /**
   * The base URL of that server, for code under test. The server starts to listen when a test uses this fixture.
   */
  readonly baseUrl: string;
  /**
   * The initial state of each workspace. Default: the seed that you passed to `workspaceFixtures`. Change it for a file
   * or a `describe` with `test.override('workspaceSeed', seed)`; in Vitest 3, with `test.scoped({ workspaceSeed })`.
   */
  readonly workspaceSeed: WorkspaceSeed;
  /** The test's own workspace. It is closed after the test. */
  readonly workspace: ReferenceWorkspace<W>;
  /** A client of that workspace. It needs no socket. */
  readonly messaging: MessagingAutomation<W>;
}

/** Passes the value of a fixture to the tests, and resolves when they have ended. */
type Use<Value> = (value: Value) => Promise<void>;

/** The definitions of the fixtures, in the form that Vitest's `test.extend` takes. */
export interface WorkspaceFixtureDefinitions<W extends Workspace = Workspace> {
  /** Creates the server of the file, and closes it. */
  referenceServer: [(needs: object, use: Use<ReferenceServer<W>>) => Promise<void>, { scope: 'file' }];
  /** Starts the server. */
  baseUrl: [
    (needs: Pick<WorkspaceFixtures<W>, 'referenceServer'>, use: Use<string>) => Promise<void>,
    { scope: 'file' },
  ];
  /** Provides the seed. */
  workspaceSeed(needs: object, use: Use<WorkspaceSeed>): Promise<void>;
  /** Creates the workspace of the test, and closes it. */
  workspace(
    needs: Pick<WorkspaceFixtures<W>, 'referenceServer' | 'workspaceSeed'>,
    use: Use<ReferenceWorkspace<W>>,
  ): Promise<void>;
  /** Provides the client of the workspace. */
  messaging(needs: Pick<WorkspaceFixtures<W>, 'workspace'>, use: Use<MessagingAutomation<W>>): Promise<void>;
}

/**
 * Creates fixtures for Vitest's `test.extend`: a reference server per file, and a workspace with a client per test.
 * Tests do not see each other's data, also with `test.concurrent`.
 *
 * @param seed The initial state of each workspace. Default: empty, with the clock `frozen`.
 * @param options Options of the reference server. With `workspace`, the fixture `messaging` has its types.
 *
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
export function workspaceFixtures<W extends Workspace = Workspace>(
  seed: WorkspaceSeed = {},
  options: ReferenceServerOptions<W> = {},
): WorkspaceFixtureDefinitions<W> {
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
