import { jsonAnswer } from '../answers/answer.js';
import type { StoreHealth } from '../model/store-health.js';
import type { Application } from './application.js';
import type { StoreMonitor } from './store-monitor.js';

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
      return jsonAnswer(503, { status: 'unavailable' }, { 'Retry-After': comeBack });
    }
    if (exchange.request.header('authorization') === undefined) return jsonAnswer(200, { status: 'ok' });
    await application.authenticate(exchange);
    return jsonAnswer(200, { status: 'ok', ...(health && shown(health)) });
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
