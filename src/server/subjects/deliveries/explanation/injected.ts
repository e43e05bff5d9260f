import type { DeliveryFault } from '../../../model/fault.js';
import type { AttemptedEvidence, DeliveryEvidence } from './evidence.js';
import type { DeliveryCause } from './explanation.js';

/** Returns the injected faults that determined the result of the attempt. A fault that changes the bytes does so. */
export function causesOfFaults(evidence: AttemptedEvidence): readonly DeliveryCause[] {
  const { attempt } = evidence;
  return (attempt.faults ?? []).flatMap((fault) => {
    const did = whatItDid(fault);
    const isChange = fault.kind === 'tamper' || fault.kind === 'malformed_json' || fault.kind === 'drift';
    if (did === undefined || (isChange && (attempt.status === undefined || attempt.error === undefined)))
      return [];
    const rule = ruleOf(fault, evidence);
    const name = rule === undefined ? `An injected fault (${fault.kind})` : `The fault rule ${rule.id}`;
    const blame = isChange
      ? 'Rejecting this delivery is correct: the receiver works.'
      : 'The receiver did not cause this.';
    const remove =
      rule === undefined
        ? 'Its rule was removed in the meantime.'
        : 'Remove the rule when you no longer need it.';
    return {
      cause: 'fault' as const,
      // A receiver that responds with 5xx may have failed even without the fault.
      certainty: isChange && Number(attempt.status) >= 500 ? 'likely' : 'certain',
      explanation: `${name} ${did}`,
      advice: `${blame} ${remove}`,
    };
  });
}

function whatItDid(fault: DeliveryFault): string | undefined {
  switch (fault.kind) {
    case 'status':
      return `responded with ${fault.status} instead of the receiver, ${whatTheReceiverGot(fault)}.`;
    case 'reset':
      return `broke the connection to the receiver, ${whatTheReceiverGot(fault)}.`;
    case 'stall':
      return `let the attempt time out without a response of the receiver, ${whatTheReceiverGot(fault)}.`;
    case 'tamper':
      return `changed the ${fault.part ?? 'signature'} after signing, so the receiver correctly rejected it.`;
    case 'malformed_json':
      return 'cut the body in half before signing, so it is not valid JSON.';
    case 'drift':
      return 'changed the shape of the body before signing.';
    case 'latency':
    case 'duplicate':
    case 'reorder':
      return undefined;
  }
}

function whatTheReceiverGot({ when }: Extract<DeliveryFault, { readonly when?: unknown }>): string {
  return when === 'after_receipt' ? 'which got the delivery' : 'which did not get this attempt';
}

/** Finds the rule that injected a fault. Undefined if it was removed. */
export function ruleOf(fault: DeliveryFault, { delivery, rules }: DeliveryEvidence) {
  const written = JSON.stringify(fault);
  return rules.find(
    ({ rule }) =>
      rule.delivery !== undefined &&
      [delivery.event, 'any'].includes(rule.delivery) &&
      [delivery.subscriptionId, undefined].includes(rule.subscriptionId) &&
      JSON.stringify(rule.fault) === written,
  );
}
