import { jsonAnswer } from '../answers/answer.js';
import { type Application, apiPrefix } from './application.js';

/** Serves the routes that require no key. */
export function serveOpenly(application: Application): void {
  application.handleOpenly('GET', '/health', async () => jsonAnswer(200, { status: 'ok' }));
  application.handleOpenly('GET', '/openapi.json', async () => {
    // Loaded on demand: few clients request it.
    const { openApiDocument } = await import('../../contract/openapi.js');
    const servers = [{ url: apiPrefix, description: 'This server.' }];
    return jsonAnswer(200, { ...openApiDocument(), servers });
  });
}
