import { type Answer, jsonAnswer } from '../answers/answer.js';
import type { StoreHealth } from '../model/store-health.js';
import type { Application } from './application.js';
import type { StoreMonitor } from './store-monitor.js';

/** When to ask again while the store is out of reach. In seconds. */
const comeBack = '1';

/** Serves `GET /health`, which requires no key: whether this server can do its work, and how its store is. */
export function serveHealth(application: Application, store?: StoreMonitor): void {
  application.handleOpenly('GET', '/health', async () =>
    store === undefined ? jsonAnswer(200, { status: 'ok' }) : healthAnswer(await store.health()),
  );
}

function healthAnswer(health: StoreHealth): Answer {
  const { state, replica, latency, postgres, schemaVersion, replicas, pool, lease } = health;
  // Field by field: a store may know more of itself than everybody may read.
  const store = {
    state,
    latency,
    postgres,
    schemaVersion,
    replicas,
    pool: { total: pool.total, idle: pool.idle, waiting: pool.waiting },
    lease,
  };
  return state === 'ok'
    ? jsonAnswer(200, { status: 'ok', replica, store })
    : jsonAnswer(503, { status: 'unavailable', replica, store }, { 'Retry-After': comeBack });
}
