import { operationList } from '../../../contract/operations.js';
import { type Clock, steadyTime } from '../../../foundation/clock.js';
import { packageVersion } from '../../../foundation/version.js';
import type { ServerLog } from '../../model/log.js';
import type { StoreHealth } from '../../model/store-health.js';
import { controlPrefix } from '../../subjects/surface.js';
import { type Application, apiPrefix, type RequestObserver, type RequestRoute } from '../application.js';
import type { StoreMonitor } from '../open-routes.js';
import {
  Counter,
  DurationHistogram,
  type MetricFamily,
  openMetricsText,
  openMetricsType,
} from './exposition.js';

/** Serves `GET /metrics`, which requires no key, for Prometheus and others. */
export function serveMetrics(application: Application, metrics: ServerMetrics, store?: StoreMonitor): void {
  application.handleOpenly('GET', '/metrics', async () => {
    const health = await store?.health();
    const ofStore = store && health ? storeFamilies(health, store.counters()) : [];
    const body = openMetricsText([...metrics.families(health?.replica), ...ofStore]);
    return { status: 200, headers: { 'Content-Type': openMetricsType }, body };
  });
}

/** The operations of the API by method and path. All other requests have one of three names. */
const operationsByRoute: ReadonlyMap<string, string> = new Map(
  operationList.map(({ method, path, name }) => [`${method} ${apiPrefix}${path}`, name]),
);

/**
 * Counts requests and delivery attempts. No label has a value from a request, so the number of label values stays small.
 */
export class ServerMetrics {
  readonly #steadyTime: () => number;
  readonly #requests = new Counter();
  readonly #durations = new DurationHistogram();
  readonly #attempts = new Counter();

  /** @param systemClock Replaces the machine's clock, for tests. */
  constructor(systemClock?: Clock) {
    this.#steadyTime = systemClock === undefined ? () => performance.now() : () => steadyTime(systemClock);
  }

  /** Counts a request. */
  readonly observe: RequestObserver = () => {
    const began = this.#steadyTime();
    return (route, status) => {
      const operation = operationOf(route);
      this.#requests.add({ operation, status: statusClass(status) });
      this.#durations.add({ operation }, Math.max(0, this.#steadyTime() - began) / 1000);
    };
  };

  /** Returns a log that counts entries and passes them on. */
  logging(log: ServerLog | undefined): ServerLog {
    return (entry) => {
      if (entry.type === 'delivery') this.#attempts.add({ outcome: entry.outcome });
      log?.(entry);
    };
  }

  /** @param replica The name of this server, if it shares a store. */
  families(replica: string | undefined): readonly MetricFamily[] {
    const about = { version: packageVersion, ...(replica !== undefined && { replica }) };
    return [
      {
        name: 'messaging_automation_server',
        type: 'info',
        help: 'This server: the version of the package, and the name of the replica.',
        samples: [{ labels: about, value: 1 }],
      },
      {
        name: 'process_start_time_seconds',
        type: 'gauge',
        unit: 'seconds',
        help: 'When the process started, as a Unix time.',
        samples: [{ value: performance.timeOrigin / 1000 }],
      },
      {
        name: 'messaging_automation_requests',
        type: 'counter',
        help: 'Requests, by operation and class of the status.',
        samples: this.#requests.samples(),
      },
      {
        name: 'messaging_automation_request_duration_seconds',
        type: 'histogram',
        unit: 'seconds',
        help: 'From the request line to the head of the response, by operation.',
        samples: this.#durations.samples(),
      },
      {
        name: 'messaging_automation_delivery_attempts',
        type: 'counter',
        help: 'Delivery attempts of this server, by outcome.',
        samples: this.#attempts.samples(),
      },
    ];
  }
}

function operationOf(route: RequestRoute | undefined): string {
  if (route === undefined) return 'unknown';
  const { method, template } = route;
  return (
    operationsByRoute.get(`${method} ${template}`) ??
    (template.startsWith(controlPrefix) ? 'control' : 'open')
  );
}

function statusClass(status: number | 'reset'): string {
  return status === 'reset' ? status : `${Math.floor(status / 100)}xx`;
}

/** Returns the metrics of a shared store, as this server measures them. */
export function storeFamilies(
  { state, latency, replicas, clockAhead, pool }: StoreHealth,
  counters: ReturnType<StoreMonitor['counters']>,
): readonly MetricFamily[] {
  return [
    gauge('up', 'Whether the database responds: 1 or 0.', state === 'ok' ? 1 : 0),
    seconds('latency_seconds', 'How long the database took to respond just now.', latency),
    gauge('replicas', 'Servers that share the database.', replicas),
    seconds(
      'clock_ahead_seconds',
      'How far the clock of this machine is ahead of that of the database.',
      clockAhead,
    ),
    {
      ...gauge('connections', 'Connections to the database, by state.'),
      samples: [
        { labels: { state: 'idle' }, value: pool.idle },
        { labels: { state: 'used' }, value: pool.total - pool.idle },
      ],
    },
    gauge('waiting', 'Work that waits for a connection to the database.', pool.waiting),
    {
      name: 'messaging_automation_store_events',
      type: 'counter',
      help: 'What happened in the store of this server, by name.',
      samples: Object.entries(counters).map(([event, value]) => ({ labels: { event }, value })),
    },
  ];
}

/** A value of the store. It has no sample while the value is unknown. */
function gauge(name: string, help: string, value?: number): MetricFamily {
  const samples = value === undefined ? [] : [{ value }];
  return { name: `messaging_automation_store_${name}`, type: 'gauge', help, samples };
}

function seconds(name: string, help: string, milliseconds?: number): MetricFamily {
  return { ...gauge(name, help, milliseconds && milliseconds / 1000), unit: 'seconds' };
}
