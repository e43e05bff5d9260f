import type { Application } from '../application.js';
import type { StoreMonitor } from '../store-monitor.js';
import { openMetricsText, openMetricsType } from './exposition.js';
import type { ServerMetrics } from './server-metrics.js';
import { storeFamilies } from './store-families.js';

/** Serves `GET /metrics`, which requires no key, for Prometheus and others. */
export function serveMetrics(application: Application, metrics: ServerMetrics, store?: StoreMonitor): void {
  application.handleOpenly('GET', '/metrics', async () => {
    const health = await store?.health();
    const ofStore = store && health ? storeFamilies(health, store.counters()) : [];
    const body = openMetricsText([...metrics.families(health?.replica), ...ofStore]);
    return { status: 200, headers: { 'Content-Type': openMetricsType }, body };
  });
}
