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
 *   const ada = workspace.contact('+15551234567');
 *   await messaging.contacts.upsert({ phone: ada.phone });
 *   await messaging.transactional.send({ phone: ada.phone, templateId: 'welcome', variables: { '1': 'Ada' } });
 *
 *   expect((await ada.receives('welcome')).text).toBe('Welcome, Ada');
 * });
 * ```
 *
 * Read on: [test your integration](../../docs/guides/test-your-integration.md).
 *
 * @module messaging-automation/vitest
 */
import type { TestContext } from 'vitest';
import type { MessagingAutomation } from '../client/client.js';
import type { Workspace } from '../client/definition/workspace-definition.js';
import { isObject } from '../foundation/is-object.js';
import { checkOptions, type OptionChecks } from '../foundation/options.js';
import {
  createTypedReferenceServer,
  parseWorkspaceSeed,
  type ReferenceServer,
  type ReferenceServerOptions,
  type ReferenceWorkspace,
  type WorkspaceSeed,
} from '../server/index.js';
import { seedOf as checkServerOptions } from '../server/options.js';
import { keepFailure } from '../server/state/keep-on-failure.js';

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

/** Options of {@link workspaceFixtures}: those of the reference server, and one of the fixtures. */
type WorkspaceFixtureOptions<W extends Workspace = Workspace> = ReferenceServerOptions & {
  /** The result of `defineWorkspace`, whose types and checks the fixture `messaging` has. Default: none. */
  readonly workspace?: W | undefined;
  /**
   * The folder for the files of failed tests, as in `keepOnFailure`. `false` writes none. Default: `test-results/messaging-automation`,
   * in the current directory.
   */
  readonly directory?: string | false | undefined;
};

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
    needs: Pick<WorkspaceFixtures<W>, 'referenceServer' | 'workspaceSeed'> & { readonly task: object },
    use: Use<ReferenceWorkspace<W>>,
  ): Promise<void>;
  /** Provides the client of the workspace. */
  messaging(needs: Pick<WorkspaceFixtures<W>, 'workspace'>, use: Use<MessagingAutomation<W>>): Promise<void>;
}

/** Those of the server are checked as such. */
const fixtureChecks: OptionChecks = {
  workspace: [isObject, 'what defineWorkspace returns'],
  directory: [isPathOrFalse, 'the path of a folder, or false'],
};

function isPathOrFalse(value: unknown): boolean {
  return value === false || (typeof value === 'string' && value !== '');
}

/**
 * Creates fixtures for Vitest's `test.extend`: a reference server per file, and a workspace with a client per test.
 * Tests do not see each other's data, also with `test.concurrent`. A test that fails leaves its workspace in a file, which its
 * error names, as with `keepOnFailure`.
 *
 * @param seed The initial state of each workspace. Default: empty, with the clock `frozen`.
 * @param options Options of the reference server, and `directory`. With `workspace`, the fixture `messaging` has its types.
 * @throws ConfigurationError if an option or the seed is invalid.
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
 *   const ada = workspace.contact('+15551234567');
 *   await messaging.contacts.upsert({ phone: ada.phone });
 *   await messaging.transactional.send({ phone: ada.phone, templateId: 'welcome', variables: { '1': 'Ada' } });
 *   expect(await ada.receives('welcome')).toMatchObject({ text: 'Welcome, Ada!' });
 * });
 * ```
 */
export function workspaceFixtures<W extends Workspace = Workspace>(
  seed: WorkspaceSeed = {},
  options: WorkspaceFixtureOptions<W> = {},
): WorkspaceFixtureDefinitions<W> {
  const { workspace: definition, directory, ...ofServer }: WorkspaceFixtureOptions<W> = Object(options);
  const own = isObject(options) ? { workspace: definition, directory } : options;
  checkOptions('workspaceFixtures', own, fixtureChecks);
  parseWorkspaceSeed(seed);
  checkServerOptions(ofServer);
  return {
    referenceServer: [
      // Vitest reads which fixtures a fixture needs from the names in its first parameter; here there are none.
      // biome-ignore lint/correctness/noEmptyPattern: as above
      async ({}, use) => {
        const server = createTypedReferenceServer(definition, { clock: 'frozen', ...ofServer });
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
    workspace: async ({ referenceServer, workspaceSeed, task }, use) => {
      // The published types name no types of Vitest.
      const running: TestContext['task'] = Object(task);
      const workspace = referenceServer.workspace(workspaceSeed);
      const before = running.result?.errors?.length ?? 0;
      await use(workspace);
      // Vitest 3 does not have the name with the suites.
      const { id, name, fullTestName = name, fails, retry = 0, result } = running;
      const { errors = [], retryCount = 0 } = result ?? {};
      const isLastTry = retryCount >= (typeof retry === 'number' ? retry : (retry.count ?? 0));
      // A retry adds to the errors of the test.
      if (errors.length > before && isLastTry && !fails && directory !== false) {
        const test = { name: fullTestName, place: id };
        await keepFailure((entries) => workspace.moment(entries), errors.at(-1), test, directory);
      }
      await workspace.close();
    },
    messaging: async ({ workspace }, use) => use(workspace.client),
  };
}
