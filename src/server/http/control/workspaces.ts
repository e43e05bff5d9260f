import { type Answer, errorAnswerOf, jsonAnswer } from '../../answers/answer.js';
import { ServiceError } from '../../model/service-error.js';
import { defaultSpecGaps } from '../../model/spec-gaps.js';
import { type WorkspaceSeed, workspaceSeedSchema } from '../../seed/workspace-seed.js';
import type { LiveWorkspace } from '../../workspace/live-workspace.js';
import type { Application } from '../application.js';
import { readJson } from '../validation.js';
import { orInvalid } from './or-invalid.js';

/** The workspaces of the server, for whoever may make and end them. */
export interface WorkspaceKeeper {
  /** The one that the server began with, and ends with. */
  readonly first: LiveWorkspace;
  /** @throws TypeError where the seed cannot be had. */
  create(seed: WorkspaceSeed): LiveWorkspace;
  /** False where none has the id. */
  remove(id: string): Promise<boolean>;
}

/** More workspaces, and fewer: the first one's key makes and ends all others, and each one's key ends its own. */
export function serveWorkspaces(application: Application, { first, create, remove }: WorkspaceKeeper): void {
  application.handle('POST', '/control/workspaces', async ({ request }, workspace) => {
    if (workspace !== first) return forbidden('Only the key of the first workspace makes others.');
    const seed = await readJson(request, workspaceSeedSchema, application.bodyLimit);
    const made = await orInvalid(() => create(seed));
    await made.ready;
    return jsonAnswer(201, { workspaceId: made.id, apiKey: made.apiKey });
  });
  application.handle('DELETE', '/control/workspaces/:id', async ({ parameters: { id = '' } }, workspace) => {
    if (id === first.id) return forbidden('The first workspace ends with its server.');
    if (workspace !== first && id !== workspace.id) {
      return forbidden('Only the key of the first workspace ends one that is not its own.');
    }
    if (await remove(id)) return { status: 204, headers: {} };
    throw new ServiceError('not_found', 'No workspace of this server has this id.');
  });
}

/** The service itself has no such error, so the contract does not know it. */
function forbidden(message: string): Answer {
  return errorAnswerOf(403, { code: 'forbidden', message }, defaultSpecGaps);
}
