import type { StoreHealth } from '../../model/store-health.js';
import type { StoreMonitor } from '../store-monitor.js';
import type { MetricFamily } from './exposition.js';

/** Returns the metrics of a shared store, as this server measures them. */
export function storeFamilies(
  health: StoreHealth,
  counters: ReturnType<StoreMonitor['counters']>,
): readonly MetricFamily[] {
  const { state, latency, replicas, clockAhead, pool } = health;
  return [
    {
      name: 'messaging_automation_store_up',
      type: 'gauge',
      help: 'Whether the database answers: 1 or 0.',
      samples: [{ value: state === 'ok' ? 1 : 0 }],
    },
    {
      name: 'messaging_automation_store_latency_seconds',
      type: 'gauge',
      unit: 'seconds',
      help: 'How long the database took to answer just now.',
      samples: latency === undefined ? [] : [{ value: latency / 1000 }],
    },
    {
      name: 'messaging_automation_store_replicas',
      type: 'gauge',
      help: 'Servers that share the database.',
      samples: replicas === undefined ? [] : [{ value: replicas }],
    },
    {
      name: 'messaging_automation_store_clock_ahead_seconds',
      type: 'gauge',
      unit: 'seconds',
      help: 'How far the clock of this machine is ahead of that of the database.',
      samples: clockAhead === undefined ? [] : [{ value: clockAhead / 1000 }],
    },
    {
      name: 'messaging_automation_store_connections',
      type: 'gauge',
      help: 'Connections to the database, by state.',
      samples: [
        { labels: { state: 'idle' }, value: pool.idle },
        { labels: { state: 'used' }, value: pool.total - pool.idle },
      ],
    },
    {
      name: 'messaging_automation_store_waiting',
      type: 'gauge',
      help: 'Work that waits for a connection to the database.',
      samples: [{ value: pool.waiting }],
    },
    {
      name: 'messaging_automation_store_events',
      type: 'counter',
      help: 'What happened in the store of this server, by name.',
      samples: Object.entries(counters).map(([event, value]) => ({
        suffix: '_total',
        labels: { event },
        value,
      })),
    },
  ];
}
