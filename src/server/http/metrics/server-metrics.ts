import { operationList } from '../../../contract/operations.js';
import { type Clock, steadyTime } from '../../../foundation/clock.js';
import { packageVersion } from '../../../foundation/version.js';
import type { ServerLog } from '../../model/log.js';
import { apiPrefix, type RequestObserver, type RequestRoute } from '../application.js';
import type { MetricFamily } from './exposition.js';
import { Counter, DurationHistogram } from './tallies.js';

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
        samples: [{ suffix: '_info', labels: about, value: 1 }],
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
    operationsByRoute.get(`${method} ${template}`) ?? (template.startsWith('/control') ? 'control' : 'open')
  );
}

function statusClass(status: number | 'reset'): string {
  return status === 'reset' ? status : `${Math.floor(status / 100)}xx`;
}
