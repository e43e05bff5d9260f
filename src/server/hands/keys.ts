import type { LiveWorkspace } from '../workspace/live-workspace.js';

/**
 * Issues, rotates and revokes the API keys of a workspace. The service's document does not say how to do that (§5).
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * const second = await server.keys.issue();
 * const third = await server.keys.rotate(second); // `second` is refused from now on
 * await server.keys.revoke(third);
 * ```
 */
export interface WorkspaceKeys {
  /** Issues another key. Only this call returns it. */
  issue(): Promise<string>;
  /**
   * Replaces a key with a new one. The server refuses the old key from then on.
   *
   * @throws Error if the key does not belong to this workspace.
   */
  rotate(apiKey: string): Promise<string>;
  /**
   * Revokes a key: the server refuses it from now on. You can revoke the last key too.
   *
   * @throws Error if the key does not belong to this workspace.
   */
  revoke(apiKey: string): Promise<void>;
}

/** Returns the keys of a workspace. It also works before the workspace has its seed. */
export function keysOf({ opened, keys }: LiveWorkspace): WorkspaceKeys {
  return {
    issue: () => opened().then(() => keys.issue()),
    rotate: (apiKey) => opened().then(() => keys.rotate(apiKey)),
    revoke: (apiKey) => opened().then(() => keys.revoke(apiKey)),
  };
}
