import type { WorkspaceSeed } from '../../../seed/workspace-seed.js';
import type { LiveWorkspace } from '../../../workspace/live-workspace.js';
import { reset } from '../../../workspace/restore.js';
import { addListener, respondToAttempt } from '../../../workspace-api/listeners.js';
import type { WorkspaceListing } from '../../../workspace-api/reference-workspace.js';
import { restoreFrom, seedOf, snapshotOf } from '../../../workspace-api/snapshot.js';
import { subscriptionsOf } from '../../../workspace-api/subscriptions.js';
import { bearerKey } from '../../application.js';
import type { ReceivedRequest } from '../../received-request.js';
import { controlOperations } from '../control-operations.js';
import { ForbiddenError, orInvalid, refuseUnless, type Serve } from '../serving.js';

/** Creates and closes the workspaces of the server. */
export interface WorkspaceKeeper {
  /** The server's own workspace. It closes with the server. */
  readonly first: LiveWorkspace;
  /** @throws ConfigurationError, or rejects `ready` with one, if the seed is invalid, or another workspace has its id or key. */
  create(seed: WorkspaceSeed): LiveWorkspace;
  /** The workspaces, the first one first. */
  list(): Promise<readonly WorkspaceListing[]>;
  /** Closes a workspace. False if no workspace has the id. */
  remove(id: string): Promise<boolean>;
}

const { keys, managedWebhooks, subscriptions, listeners, workspace, workspaces } = controlOperations;

/**
 * Serves the keys, the subscriptions and the state of a workspace, and its end. Rotating and revoking affect the key of the
 * request, so that no URL and no body contains a key. The first workspace's key can list all workspaces, and create and close
 * the others. Any other key can only close its own workspace.
 */
export function serveWorkspaces(serve: Serve, { first, create, list, remove }: WorkspaceKeeper): void {
  serve(keys.issue, async (live) => ({ apiKey: await live.keys.issue() }));
  serve(keys.rotate, async (live, { request }) => ({ apiKey: await live.keys.rotate(carriedBy(request)) }));
  serve(keys.revoke, (live, { request }) => live.keys.revoke(carriedBy(request)));

  serve(managedWebhooks.list, async ({ services }) => ({ data: await services.subscriptions.listManaged() }));
  serve(managedWebhooks.create, ({ services }, { body }) => services.subscriptions.manage(body));

  serve(subscriptions.list, async (live) => ({ data: await subscriptionsOf(live).list() }));
  serve(subscriptions.secret, async (live, { path }) => ({
    secret: await subscriptionsOf(live).secret(path.id),
  }));
  serve(subscriptions.remove, async (live, { path }) =>
    refuseUnless(
      await subscriptionsOf(live).remove(path.id),
      `No subscription of this workspace has this id. GET ${subscriptions.list.path} lists them.`,
    ),
  );

  serve(listeners.create, (live, { body }) => addListener(live, body));
  serve(listeners.respond, (live, { path, body }) => ({
    outcome: respondToAttempt(live, path.id, path.attempt, body),
  }));
  serve(listeners.remove, async (live, { path }) =>
    refuseUnless(await live.listeners.remove(path.id), 'No listener of this workspace has this id.'),
  );

  serve(workspace.snapshot, snapshotOf);
  serve(workspace.restore, (live, { body }) => restoreFrom(live, body));
  serve(workspace.seed, seedOf);
  serve(workspace.reset, reset);
  serve(workspace.create, async (live, { body }) => {
    if (live !== first)
      throw new ForbiddenError('Only the key of the first workspace can create workspaces. Use that key.');
    return orInvalid(async () => {
      const { id, apiKey, life } = create(body);
      await life.ready;
      return { workspaceId: id, apiKey };
    });
  });
  serve(workspaces.list, async (live) => {
    if (live !== first)
      throw new ForbiddenError('Only the key of the first workspace can list the workspaces. Use that key.');
    return { data: await list() };
  });
  serve(workspace.close, async (live, { path: { id } }) => {
    if (id === first.id)
      throw new ForbiddenError('The first workspace closes with its server. Close the server instead.');
    if (live !== first && id !== live.id) {
      throw new ForbiddenError(
        'This key can close only its own workspace. Use the key of that workspace or of the first workspace.',
      );
    }
    refuseUnless(await remove(id), 'No workspace of this server has this id.');
  });
}

function carriedBy(request: ReceivedRequest): string {
  return bearerKey(request.header('authorization')) ?? '';
}
