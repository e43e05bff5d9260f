import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';
import { workspaceSeedSchema } from '../seed/workspace-seed.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { type ControlledServer, operation, orInvalid } from './operation.js';
import type * as Shapes from './shapes.js';

/** One workspace of a server. */
export type WorkspaceListing = {
  readonly workspaceId: string;
  /** True for the server's own workspace. */
  readonly isFirst: boolean;
  /** The workspace's time, in milliseconds since the Unix epoch. */
  readonly now: number;
  /** The number of its contacts. */
  readonly contacts: number;
};

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
export type ServerWorkspaces = {
  /** Returns all open workspaces, oldest first. The first is the server's own. */
  list(): Promise<readonly WorkspaceListing[]>;
};

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

/** An error that the service's contract does not have: the key may not do this. */
export class ForbiddenError extends Error {
  static {
    this.prototype.name = 'ForbiddenError';
  }
}

/** The first workspace's key can list all workspaces, and create the others. */
function requireFirst(live: LiveWorkspace, { first }: ControlledServer, doing: string): void {
  if (live === first) return;
  throw new ForbiddenError(`Only the key of the first workspace can ${doing}. Use that key.`);
}

/** The first workspace's key can close all others. Any other key can only close its own workspace. */
function requireMayClose(live: LiveWorkspace, { first }: ControlledServer, id: string): void {
  if (id === first.id)
    throw new ForbiddenError('The first workspace closes with its server. Close the server instead.');
  if (live === first || id === live.id) return;
  throw new ForbiddenError(
    'This key can close only its own workspace. Use the key of that workspace or of the first workspace.',
  );
}

/** The operations on the workspaces of a server. A program calls `server.workspace(seed)` and `workspace.close()`. */
export const workspacesOperations = ({ text, count, listOf }: typeof Shapes) => {
  const listing: Schema<WorkspaceListing> = z.strictObject({
    workspaceId: text,
    isFirst: z.boolean(),
    now: z.number(),
    contacts: count,
  });
  return {
    create: operation('workspace', 'POST', '/control/workspaces', {
      summary: "Creates another workspace from a seed. Requires the first workspace's key.",
      body: workspaceSeedSchema,
      status: 201,
      result: z.strictObject({ workspaceId: text, apiKey: text }),
      refusals: { 403: "The key is not the first workspace's." },
      rule(live, { body, server }) {
        requireFirst(live, server, 'create workspaces');
        return orInvalid(async () => {
          const { id, apiKey, life } = server.create(body);
          await life.ready;
          return { workspaceId: id, apiKey };
        });
      },
    }),
    close: operation('close', 'DELETE', '/control/workspaces/:id', {
      summary: "Closes a workspace. Requires its own key or the first workspace's key.",
      refusals: {
        403: 'It is the first workspace, or the key belongs to another workspace.',
        404: 'No workspace has this id.',
      },
      rule(live, { path, server }) {
        requireMayClose(live, server, path.id);
        return server.remove(path.id);
      },
    }),
    list: operation('workspaces.list', 'GET', '/control/workspaces', {
      summary: "Lists the workspaces of the server. Requires the first workspace's key.",
      result: listOf(listing),
      refusals: { 403: "The key is not the first workspace's." },
      async rule(live, { server }) {
        requireFirst(live, server, 'list the workspaces');
        return { data: await listingsOf(await server.all(), server.first.id) };
      },
    }),
  };
};
