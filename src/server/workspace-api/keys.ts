import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { whenOpen } from './when-open.js';

/**
 * Issues, rotates and revokes the API keys of a workspace. The service's document does not describe how to do that.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * const second = await server.keys.issue();
 * const third = await server.keys.rotate(second); // the server rejects `second` from now on
 * await server.keys.revoke(third);
 * ```
 */
export interface WorkspaceKeys {
  /** Issues and returns another key. The server keeps only its digest, so you cannot read the key later. */
  issue(): Promise<string>;
  /**
   * Replaces a key with a new one. The server rejects the old key from then on.
   *
   * @throws Error if the key does not belong to this workspace.
   */
  rotate(apiKey: string): Promise<string>;
  /**
   * Revokes a key. The server rejects it from then on. You can revoke the last key too.
   *
   * @throws Error if the key does not belong to this workspace.
   */
  revoke(apiKey: string): Promise<void>;
}

/** Returns the keys of a workspace. You can call it before the seed is loaded. */
export function keysOf(live: LiveWorkspace): WorkspaceKeys {
  const { keys } = live;
  return whenOpen(live, {
    issue: () => keys.issue(),
    rotate: (apiKey) => keys.rotate(apiKey),
    revoke: (apiKey) => keys.revoke(apiKey),
  });
}
