import type { StoreHealth } from '../model/store-health.js';
import { jsonResponse } from '../responses/response.js';
import { type Application, apiPrefix } from './application.js';

/** Serves the routes that require no key. `store` is set if other servers share it. */
export function serveOpenly(application: Application, store?: StoreMonitor): void {
  serveHealth(application, store);
  application.handleOpenly('GET', '/openapi.json', async () => {
    // Loaded on demand: few clients request it.
    const { openApiDocument } = await import('../../contract/openapi.js');
    const servers = [{ url: apiPrefix, description: 'This server.' }];
    return jsonResponse(200, { ...openApiDocument(), servers });
  });
}

/** The `Retry-After` while the store is unreachable. In seconds. */
const comeBack = '1';

/**
 * Serves `GET /health`: without a key, whether this server and its store work. With a key, also how the store is. A store that is
 * out of reach has no keys.
 */
export function serveHealth(application: Application, store?: StoreMonitor): void {
  application.handleOpenly('GET', '/health', async (exchange) => {
    const health = await store?.health();
    if (health?.state === 'unreachable') {
      return jsonResponse(503, { status: 'unavailable' }, { 'Retry-After': comeBack });
    }
    if (exchange.request.header('authorization') === undefined) return jsonResponse(200, { status: 'ok' });
    await application.authenticate(exchange);
    return jsonResponse(200, { status: 'ok', ...(health && shown(health)) });
  });
}

/** Field by field, so that a later field of the store does not become public by accident. */
function shown(health: StoreHealth) {
  const { state, replica, latency, postgres, schemaVersion, replicas, clockAhead, pool, lease } = health;
  const { total, idle, waiting } = pool;
  const store = {
    state,
    latency,
    postgres,
    schemaVersion,
    replicas,
    clockAhead,
    pool: { total, idle, waiting },
    lease,
  };
  return { replica, store };
}

/** The part of a shared store that reports its health and counts. */
export interface StoreMonitor {
  /** Returns the health. Always resolves, within a short timeout. */
  health(): Promise<StoreHealth>;
  /** Returns the number of occurrences of each kind since this replica started. */
  counters(): Readonly<Record<string, number>>;
}
