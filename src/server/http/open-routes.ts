import { jsonAnswer } from '../answers/answer.js';
import { type Application, apiPrefix } from './application.js';
import { serveHealth } from './health-route.js';
import type { StoreMonitor } from './store-monitor.js';

/** Serves the routes that require no key. `store` is set if other servers share it. */
export function serveOpenly(application: Application, store?: StoreMonitor): void {
  serveHealth(application, store);
  application.handleOpenly('GET', '/openapi.json', async () => {
    // Loaded on demand: few clients request it.
    const { openApiDocument } = await import('../../contract/openapi.js');
    const servers = [{ url: apiPrefix, description: 'This server.' }];
    return jsonAnswer(200, { ...openApiDocument(), servers });
  });
}
