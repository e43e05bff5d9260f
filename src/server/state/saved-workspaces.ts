import { ConfigurationError } from '../../foundation/options.js';
import type { TellChange } from '../model/change.js';
import { digestOfKey } from '../workspace/api-keys.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import type { Workspaces } from '../workspace/workspaces.js';
import type { ServerState } from './server-state.js';

/**
 * Resumes the workspaces of a state, and returns the first.
 *
 * @param apiKey - Adds a key to the first workspace, unless that workspace has revoked it.
 * @throws ConfigurationError if two workspaces conflict, or the key belongs to another workspace.
 */
export function resumeFrom(state: ServerState, apiKey: string, workspaces: Workspaces): LiveWorkspace {
  const [first, ...others] = state.workspaces;
  const digest = digestOfKey(apiKey);
  if (others.some(({ apiKeyDigests }) => apiKeyDigests.includes(digest))) {
    throw new ConfigurationError(
      "The apiKey belongs to another workspace of the state, not the server's own. Pass a new key, or none.",
    );
  }
  const isNew = digest !== state.apiKeyDigest && !first.apiKeyDigests.includes(digest);
  const apiKeyDigests = isNew ? [...first.apiKeyDigests, digest] : first.apiKeyDigests;
  const live = workspaces.resume({ ...first, apiKeyDigests }, apiKey);
  for (const other of others) workspaces.resume(other);
  return live;
}

/** Notifies listeners of changes. */
export class ChangeSignal {
  readonly #watchers = new Set<TellChange>();

  /** Calls back after each change. Returns a function that stops the calls. */
  watch(watcher: TellChange): () => void {
    const own: TellChange = (change) => watcher(change);
    this.#watchers.add(own);
    return () => void this.#watchers.delete(own);
  }

  readonly tell: TellChange = (change) => {
    for (const watcher of this.#watchers) watcher(change);
  };
}
