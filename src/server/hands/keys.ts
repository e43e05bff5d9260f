import type { LiveWorkspace } from '../workspace/live-workspace.js';

/**
 * The keys that open a workspace. The service's document does not show how keys are issued, rotated or revoked (§5); a
 * test does it here.
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
  /** Makes one more key. It is shown here and nowhere else. */
  issue(): Promise<string>;
  /**
   * Makes a key in the place of one, which is refused from then on.
   *
   * @throws Error where the key is not one of this workspace's.
   */
  rotate(apiKey: string): Promise<string>;
  /**
   * Has a key refused from now on. The last one may be revoked too.
   *
   * @throws Error where the key is not one of this workspace's.
   */
  revoke(apiKey: string): Promise<void>;
}

/** The keys of a workspace that may still be in the making. */
export function keysOf({ opened, keys }: LiveWorkspace): WorkspaceKeys {
  return {
    issue: () => opened().then(() => keys.issue()),
    rotate: (apiKey) => opened().then(() => keys.rotate(apiKey)),
    revoke: (apiKey) => opened().then(() => keys.revoke(apiKey)),
  };
}
