import { createHash } from 'node:crypto';
import type { ReferenceServer } from '../server/index.js';
import { messageOf } from './message-of.js';
import type { ServerOrigin } from './server-origin.js';
import type { StateFile } from './state-file.js';
import { StateKeeper } from './state-keeper.js';
import type { Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';

/** The state that a server keeps in a file, as a person or a program is told of it. */
export interface KeptState {
  readonly file: string;
  /** Whether the server goes on from it, or has just begun it. */
  readonly goesOn: boolean;
  readonly workspaces: number;
  readonly contacts: number;
  readonly clock: 'frozen' | 'flowing';
  /** The first workspace's time: ISO 8601, UTC. */
  readonly time: string;
  /** Flags that count for nothing, because the state says it. */
  readonly unusedFlags: readonly string[];
  /** Whether the server's key opened the first workspace before, does from now on, or was revoked and stays so. */
  readonly key: 'known' | 'new' | 'revoked';
}

/**
 * Keeps the server's state in the file from now on. It is written once before this resolves.
 *
 * @returns What writes it for the last time: false where it could not be written.
 * @throws UsageError where it cannot be written.
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

/** What there is to tell of the state. */
export async function describeState(
  server: ReferenceServer,
  { path }: StateFile,
  { state, unused }: ServerOrigin,
): Promise<KeptState> {
  const { workspaces } = await server.state();
  const [first] = workspaces;
  const digest = createHash('sha256').update(server.apiKey).digest('hex');
  const isIn = ({ apiKeyDigests }: typeof first) => apiKeyDigests.includes(digest);
  return {
    file: path,
    goesOn: state !== undefined,
    workspaces: workspaces.length,
    contacts: workspaces.reduce((total, { contacts }) => total + contacts.length, 0),
    clock: first.clock.flow,
    time: new Date(server.clock.now()).toISOString(),
    unusedFlags: unused,
    key: !isIn(first) ? 'revoked' : state === undefined || isIn(state.workspaces[0]) ? 'known' : 'new',
  };
}
