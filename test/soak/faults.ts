import type { DeliveryFault, FaultRule, FaultSelection, RequestFault } from 'messaging-automation/server';
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

/** A rule that strikes some requests or deliveries, and not for ever. `delayed`: it may take the time of the workspace. */
export function faultRule(chance: Chance, delayed: boolean): FaultRule {
  const times = chance.between(2, 12);
  const selection = chance.pick<FaultSelection>([
    { times, probability: 0.3 },
    { times, every: 3 },
    { nth: times },
  ]);
  return chance.in(0.5)
    ? { delivery: 'any', ...selection, fault: deliveryFault(chance, delayed) }
    : { operation: 'any', ...selection, fault: requestFault(chance) };
}

function deliveryFault(chance: Chance, delayed: boolean): DeliveryFault {
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
