import { ServiceError } from '../../../model/service-error.js';
import { listenersOf } from '../../../workspace-api/listeners.js';
import { controlOperations } from '../control-operations.js';
import type { Serve } from '../serving.js';

const { listeners } = controlOperations;

/** Serves the listeners of a workspace, except the streams of their attempts. */
export function serveListeners(serve: Serve): void {
  serve(listeners.create, (live, { body }) => listenersOf(live).create(body));
  serve(listeners.answer, async (live, { path, body }) => ({
    outcome: await listenersOf(live).answer(path.id, path.attempt, body),
  }));
  serve(listeners.remove, async (live, { path }) => {
    if (await listenersOf(live).remove(path.id)) return undefined;
    throw new ServiceError('not_found', 'No listener of this workspace has this id.');
  });
}
