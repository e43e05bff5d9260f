import type { StoreHealth } from '../model/store-health.js';
import { jsonResponse } from '../responses/response.js';
import { type Application, apiPrefix } from './application.js';
import type { Exchange } from './server-request.js';

/** The `Retry-After` while the store is unreachable. In seconds. */
const comeBack = '1';

/** Serves the routes that require no key. `store` is set if other servers share it. */
export function serveOpenly(application: Application, store?: StoreMonitor): void {
  // Without a key, whether this server and its store work. With a key, also how the store is. A store that is out of reach has no keys.
  const respond = async (exchange: Exchange) => {
    const health = await store?.health();
    if (health?.state === 'unreachable') {
      return jsonResponse(503, { status: 'unavailable', cause: health.cause }, { 'Retry-After': comeBack });
    }
    const hasKey = exchange.request.header('authorization') !== undefined;
    if (hasKey) await application.authenticate(exchange);
    if (!hasKey || health === undefined) return jsonResponse(200, { status: 'ok' });
    const { replica, ...ofStore } = health;
    return jsonResponse(200, { status: 'ok', replica, store: ofStore });
  };
  // Load balancers check with OPTIONS, too: it is the default of HAProxy.
  for (const method of ['GET', 'OPTIONS']) application.handleOpenly(method, '/health', respond);
  application.handleOpenly('GET', '/openapi.json', async () => {
    // Loaded on demand: few clients request it.
    const { openApiDocument } = await import('../../contract/openapi.js');
    const servers = [{ url: apiPrefix, description: 'This server.' }];
    return jsonResponse(200, { ...openApiDocument(), servers });
  });
}

/** The part of a shared store that reports its health and counts. */
export interface StoreMonitor {
  /** Returns the health. Always resolves, within a short timeout. */
  health(): Promise<StoreHealth>;
  /** Returns the number of occurrences of each kind since this replica started. */
  counters(): Readonly<Record<string, number>>;
}
