import { stateAsText, stateFromText } from '../hands/snapshot.js';
import { digestOfKey } from '../workspace/key-digest.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import type { SavedWorkspace } from '../workspace/saved-workspace.js';
import type { Workspaces } from '../workspace/workspaces.js';
import type { ServerState, WorkspaceInState } from './server-state.js';

/**
 * Has the workspaces of a state go on, and gives the first.
 *
 * @param apiKey - Opens the first of them from now on, unless the server had it before and it was revoked since.
 * @throws TypeError where two of them cannot be together, or the key opens another than the first.
 */
export function goOnFrom(state: ServerState, apiKey: string, workspaces: Workspaces): LiveWorkspace {
  const [first, ...others] = state.workspaces;
  const digest = digestOfKey(apiKey);
  if (others.some(({ apiKeyDigests }) => apiKeyDigests.includes(digest))) {
    throw new TypeError(
      "The apiKey opens another workspace of the state, not the server's own. Give one that is new, or none.",
    );
  }
  const isNew = digest !== state.apiKeyDigest && !first.apiKeyDigests.includes(digest);
  const apiKeyDigests = isNew ? [...first.apiKeyDigests, digest] : first.apiKeyDigests;
  const live = workspaces.goOn(savedFrom({ ...first, apiKeyDigests }), apiKey);
  for (const other of others) workspaces.goOn(savedFrom(other));
  return live;
}

/** A workspace as it stands in a state. */
export function inState({ state, beginning, ...others }: SavedWorkspace): WorkspaceInState {
  return {
    ...others,
    ...stateAsText(state),
    beginning: { settings: beginning.settings, state: stateAsText(beginning.state) },
  };
}

function savedFrom({
  apiKeyDigests,
  clock,
  specGaps,
  faults,
  beginning: { settings, state },
  ...now
}: WorkspaceInState): SavedWorkspace {
  const beginning = { settings, state: stateFromText(state) };
  return { apiKeyDigests, clock, specGaps, faults, state: stateFromText(now), beginning };
}
