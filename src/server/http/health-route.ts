import { type Answer, jsonAnswer } from '../answers/answer.js';
import type { StoreHealth } from '../model/store-health.js';
import type { Application } from './application.js';
import type { StoreMonitor } from './store-monitor.js';

/** The `Retry-After` while the store is unreachable. In seconds. */
const comeBack = '1';

/** Serves `GET /health`, which requires no key: the status of this server and of its store. */
export function serveHealth(application: Application, store?: StoreMonitor): void {
  application.handleOpenly('GET', '/health', async () =>
    store === undefined ? jsonAnswer(200, { status: 'ok' }) : healthAnswer(await store.health()),
  );
}

function healthAnswer(health: StoreHealth): Answer {
  const { state, replica, latency, postgres, schemaVersion, replicas, pool, lease } = health;
  // Field by field, so that a later field of the store does not become public by accident.
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
