import { createHash } from 'node:crypto';
import type { ReferenceServer } from '../../server/index.js';
import { messageOf, UsageError } from '../terminal/failures.js';
import type { Terminal } from '../terminal/terminal.js';
import type { ServeOptions } from './serve-options.js';
import { flagsOfBeginning, type ServerOrigin } from './server-origin.js';
import type { StateFile } from './state-file.js';
import { StateKeeper } from './state-keeper.js';

/** The state file of a server, for the ready message. */
export interface KeptState {
  readonly file: string;
  /** Whether the server continues from the file. Otherwise it has just created it. */
  readonly resumed: boolean;
  readonly workspaces: number;
  readonly contacts: number;
  readonly clock: 'frozen' | 'flowing';
  /** The first workspace's time: ISO 8601, UTC. */
  readonly time: string;
  /** The given flags that are ignored, because the state decides. */
  readonly unusedFlags: readonly string[];
  /** Whether the server's key was valid for the first workspace before, is new, or was revoked and stays revoked. */
  readonly key: 'known' | 'new' | 'revoked';
}

/**
 * Writes the server's state to the file, now and after each change.
 *
 * @returns A function that writes the last changes. It resolves to false if that failed.
 * @throws UsageError if the first write fails.
 */
export async function keepState(
  server: ReferenceServer,
  file: StateFile,
  terminal: Terminal,
): Promise<() => Promise<boolean>> {
  const keeper = new StateKeeper({
    read: async () => `${JSON.stringify(await server.state())}\n`,
    write: (text) => file.write(text),
    complain: (text) => terminal.complain(text),
    clock: terminal.clock,
  });
  const stopWatching = server.onChange(() => keeper.changed());
  try {
    await keeper.write();
  } catch (error) {
    stopWatching();
    throw new UsageError(`The state file ${file.path} cannot be written.\n${messageOf(error)}`);
  }
  return () => {
    stopWatching();
    return keeper.close();
  };
}

/** Describes the state for the ready message. */
export async function describeState(
  server: ReferenceServer,
  { path }: StateFile,
  { state }: ServerOrigin,
  options: ServeOptions,
): Promise<KeptState> {
  const { workspaces } = await server.state();
  const [first] = workspaces;
  const digest = createHash('sha256').update(server.apiKey).digest('hex');
  const isIn = ({ apiKeyDigests }: typeof first) => apiKeyDigests.includes(digest);
  return {
    file: path,
    resumed: state !== undefined,
    workspaces: workspaces.length,
    contacts: workspaces.reduce((total, { contacts }) => total + contacts.length, 0),
    clock: first.clock.flow,
    time: new Date(server.clock.now()).toISOString(),
    unusedFlags: state === undefined ? [] : flagsOfBeginning(options),
    key: !isIn(first) ? 'revoked' : state === undefined || isIn(state.workspaces[0]) ? 'known' : 'new',
  };
}
