import { type HttpResponse, jsonResponse } from '../../responses/response.js';
import { controlOperationList, controlOperations } from '../../subjects/control-operations.js';
import type { ControlledServer } from '../../subjects/operation.js';
import type { Application } from '../application.js';
import { serveStream } from './event-streams.js';
import { serveRule } from './serving.js';

/**
 * Serves the control surface over HTTP. Each request has the key of the workspace that it controls. Its paths are not part
 * of the service, so they are outside its prefix.
 */
export function serveControl(application: Application, server: ControlledServer): void {
  for (const operation of controlOperationList) {
    const { rule, stream } = operation;
    if (rule !== undefined) serveRule(application, server, operation, rule);
    if (stream !== undefined) serveStream(application, server, operation, stream);
  }
  // These two say what the surface has, and require no key.
  const { index, openApi } = controlOperations.surface;
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
  const document = JSON.stringify(controlOperations.surface.openApi.path);
  const body = `{"about": ${about},\n"document": ${document},\n"operations": [\n${lines.join(',\n')}\n]}\n`;
  return { ...jsonResponse(200, {}), body };
}
