import type { LiveWorkspace } from '../workspace/live-workspace.js';

/** One workspace of a server. */
export interface WorkspaceListing {
  readonly workspaceId: string;
  /** True for the server's own workspace. */
  readonly isFirst: boolean;
  /** The workspace's time, in milliseconds since the Unix epoch. */
  readonly now: number;
  /** The number of its contacts. */
  readonly contacts: number;
}

/**
 * Lists the workspaces of a server.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({ contacts: [{ phone: '+15551234567' }] });
 * await using workspace = server.workspace();
 * const listed = await server.workspaces.list();
 * console.log(listed.map(({ isFirst, contacts }) => [isFirst, contacts])); // [[true, 1], [false, 0]]
 * console.log(listed[1]?.workspaceId === workspace.id); // true
 * ```
 */
export interface ServerWorkspaces {
  /** Returns all open workspaces, oldest first. The first is the server's own. */
  list(): Promise<readonly WorkspaceListing[]>;
}

/** Describes the workspaces of a server. */
export function listingsOf(
  workspaces: readonly LiveWorkspace[],
  firstId: string,
): Promise<readonly WorkspaceListing[]> {
  return Promise.all(
    workspaces.map(async ({ id, life, clock, context: { store } }) => {
      await life.ready;
      const contacts = await store.contacts.count();
      return { workspaceId: id, isFirst: id === firstId, now: clock.now(), contacts };
    }),
  );
}
