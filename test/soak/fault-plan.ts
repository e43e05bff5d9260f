import type { DeliveryFault, RequestFault } from 'messaging-automation/server';
import type { Chance } from './chance.js';

/** A fault for any request. */
export function requestFault(chance: Chance): RequestFault {
  const when = chance.pick(['before_commit', 'after_commit'] as const);
  return chance.pick<RequestFault>([
    { kind: 'status', status: chance.pick([500, 502, 503]), when },
    { kind: 'rate_limit' },
    { kind: 'latency', duration: chance.pick(['20ms', '300ms', '20s']), when },
    { kind: 'reset', when },
    { kind: 'stall' },
    { kind: 'malformed_json' },
  ]);
}

/** A fault for one kind of operation. What comes back of a new subscription has to be true: its secret is known from it. */
export function requestFaultFor(kind: string, chance: Chance): RequestFault {
  return kind !== 'subscribe' && chance.in(0.15) ? { kind: 'drift' } : requestFault(chance);
}

/** A fault for deliveries; those that take the workspace's time only where they may. */
export function deliveryFault(chance: Chance, delayed: boolean): DeliveryFault {
  const when = chance.pick(['before_receipt', 'after_receipt'] as const);
  if (delayed && chance.in(0.4)) {
    return chance.pick<DeliveryFault>([
      { kind: 'latency', duration: chance.pick(['50ms', '3s', '15s']) },
      { kind: 'stall', when },
      { kind: 'reorder', atMost: '20s' },
    ]);
  }
  return chance.pick<DeliveryFault>([
    { kind: 'status', status: chance.pick([200, 404, 500]), when },
    { kind: 'reset', when },
    { kind: 'malformed_json' },
    { kind: 'drift' },
    { kind: 'tamper', part: chance.pick(['signature', 'body']) },
    { kind: 'duplicate', concurrent: chance.in(0.5) },
  ]);
}
