import { operationNames } from '../../contract/operation-name.js';
import { webhookEventTypes } from '../../contract/webhook-event-type.js';
import type { FaultRule } from '../../server/model/fault.js';
import { deliveryFaults, requestFaults } from './faults.js';

/** The targets of fault rules: their names, and the rules that each can have by their descriptions. */
export const faultTargets = [
  ...(['any', ...operationNames] as const).map((operation) => ({
    name: operation === 'any' ? 'Every request of the API' : operation,
    rules: rulesOf(requestFaults, (fault) => ({ operation, fault })),
  })),
  ...(['any', ...webhookEventTypes] as const).map((delivery) => ({
    name: delivery === 'any' ? 'Every delivery' : `Deliveries of ${delivery}`,
    rules: rulesOf(deliveryFaults, (fault) => ({ delivery, fault })),
  })),
];

function rulesOf<Fault>(faults: Readonly<Record<string, Fault>>, ruleOf: (fault: Fault) => FaultRule) {
  return Object.fromEntries(Object.entries(faults).map(([name, fault]) => [name, ruleOf(fault)]));
}
