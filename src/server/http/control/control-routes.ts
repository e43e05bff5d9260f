import { type HttpResponse, jsonResponse } from '../../responses/response.js';
import type { WatchChanges } from '../../workspace-api/follow.js';
import type { Application } from '../application.js';
import { controlOperationList, controlOperations } from './control-operations.js';
import { serveStreams } from './event-streams.js';
import {
  serveAccess,
  serveWhatHappened,
  serveWorkspace,
  serveWorkspaces,
  type WorkspaceKeeper,
} from './rules.js';
import { serveOn } from './serving.js';

const { index, openApi } = controlOperations.surface;

/**
 * Serves the control surface over HTTP. Each request has the key of the workspace that it controls. Its paths are not part
 * of the service, so they are outside its prefix.
 */
export function serveControl(
  application: Application,
  workspaces: WorkspaceKeeper,
  watchChanges: WatchChanges,
): void {
  const serve = serveOn(application);
  serveWhatHappened(serve);
  serveWorkspace(serve);
  serveAccess(serve);
  serveWorkspaces(serve, workspaces);
  serveStreams(application, watchChanges);
  // The index and the OpenAPI document require no key.
  application.handleOpenly(index.method, index.path, async () => indexOf());
  application.handleOpenly(openApi.method, openApi.path, async () => {
    // Loaded on demand: few clients request it.
    const { controlDocument } = await import('./openapi.js');
    return jsonResponse(200, controlDocument());
  });
}

/** The operations, one per line, for people to read. */
function indexOf(): HttpResponse {
  const about = JSON.stringify(
    "Controls a workspace. Send the workspace's key as Authorization: Bearer. A program calls each operation by its name.",
  );
  const lines = controlOperationList.map(({ name, method, path, summary, query }) =>
    JSON.stringify({ method, path, summary, ...(query && { query: Object.keys(query) }), name }),
  );
  const document = JSON.stringify(openApi.path);
  const body = `{"about": ${about},\n"document": ${document},\n"operations": [\n${lines.join(',\n')}\n]}\n`;
  return { ...jsonResponse(200, {}), body };
}
