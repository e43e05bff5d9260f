import { type Answer, jsonAnswer } from '../../answers/answer.js';
import type { Application } from '../application.js';
import { controlOperationList, controlOperations } from './control-operations.js';

const { index, openApi } = controlOperations.surface;

/** What the surface says of itself, to whoever asks. */
export function serveSurface(application: Application): void {
  application.handleOpenly(index.method, index.path, async () => indexOf());
  application.handleOpenly(openApi.method, openApi.path, async () => {
    // Loaded when it is asked for: few do.
    const { controlDocument } = await import('./openapi.js');
    return jsonAnswer(200, controlDocument());
  });
}

/** The operations, one a line: people read them as they are. */
function indexOf(): Answer {
  const about = JSON.stringify(
    "What a test does to a workspace, by the workspace's key as Authorization: Bearer. A program calls it by its name.",
  );
  const lines = controlOperationList.map(({ name, method, path, summary, query }) =>
    JSON.stringify({ method, path, summary, ...(query && { query: Object.keys(query) }), name }),
  );
  const document = JSON.stringify(openApi.path);
  const body = `{"about": ${about},\n"document": ${document},\n"operations": [\n${lines.join(',\n')}\n]}\n`;
  return { ...jsonAnswer(200, {}), body };
}
