import { jsonAnswer } from '../answers/answer.js';
import { type Application, apiPrefix } from './application.js';

/** What anybody may ask the server, without a key. */
export function serveOpenly(application: Application): void {
  application.handleOpenly('GET', '/health', async () => jsonAnswer(200, { status: 'ok' }));
  application.handleOpenly('GET', '/openapi.json', async () => {
    // Loaded when it is asked for: few do.
    const { openApiDocument } = await import('../../contract/openapi.js');
    const servers = [{ url: apiPrefix, description: 'This server.' }];
    return jsonAnswer(200, { ...openApiDocument(), servers });
  });
}
