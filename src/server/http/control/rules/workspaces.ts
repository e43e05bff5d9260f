import { restoreFrom, snapshotOf } from '../../../hands/snapshot.js';
import { ServiceError } from '../../../model/service-error.js';
import type { WorkspaceSeed } from '../../../seed/workspace-seed.js';
import type { LiveWorkspace } from '../../../workspace/live-workspace.js';
import { bearerKey } from '../../application.js';
import type { ReceivedRequest } from '../../received-request.js';
import { controlOperations } from '../control-operations.js';
import { orInvalid } from '../or-invalid.js';
import { ForbiddenError } from '../refusal.js';
import type { Serve } from '../serving.js';

/** The workspaces of the server, for whoever may make and end them. */
export interface WorkspaceKeeper {
  /** The one that the server began with, and ends with. */
  readonly first: LiveWorkspace;
  /** @throws TypeError where the seed cannot be had. */
  create(seed: WorkspaceSeed): LiveWorkspace;
  /** False where none has the id. */
  remove(id: string): Promise<boolean>;
}

const { keys, managedWebhooks, workspace } = controlOperations;

/**
 * The workspace as a whole: its keys, its state, its end. The key that is rotated or revoked is the one that the request
 * carries, so no other place has one. The first workspace's key makes and ends all others, and each one's key ends its own.
 */
export function serveWorkspaces(serve: Serve, { first, create, remove }: WorkspaceKeeper): void {
  serve(keys.issue, async (live) => ({ apiKey: await live.keys.issue() }));
  serve(keys.rotate, async (live, { request }) => ({ apiKey: await live.keys.rotate(carriedBy(request)) }));
  serve(keys.revoke, async (live, { request }) => {
    await live.keys.revoke(carriedBy(request));
    return undefined;
  });

  serve(managedWebhooks.list, async ({ services }) => ({ data: await services.subscriptions.listManaged() }));
  serve(managedWebhooks.create, ({ services }, { body }) => services.subscriptions.manage(body));

  serve(workspace.snapshot, (live) => snapshotOf(live));
  serve(workspace.restore, async (live, { body }) => {
    await restoreFrom(live, body);
    return undefined;
  });
  serve(workspace.reset, async (live) => {
    await live.reset();
    return undefined;
  });
  serve(workspace.create, async (live, { body }) => {
    if (live !== first) throw new ForbiddenError('Only the key of the first workspace makes others.');
    const made = await orInvalid(() => create(body));
    await made.ready;
    return { workspaceId: made.id, apiKey: made.apiKey };
  });
  serve(workspace.close, async (live, { path: { id } }) => {
    if (id === first.id) throw new ForbiddenError('The first workspace ends with its server.');
    if (live !== first && id !== live.id) {
      throw new ForbiddenError('Only the key of the first workspace ends one that is not its own.');
    }
    if (await remove(id)) return undefined;
    throw new ServiceError('not_found', 'No workspace of this server has this id.');
  });
}

function carriedBy(request: ReceivedRequest): string {
  return bearerKey(request.header('authorization')) ?? '';
}
