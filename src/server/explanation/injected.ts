import type { DeliveryFault } from '../model/fault.js';
import type { AttemptedEvidence, Evidence } from './evidence.js';
import type { DeliveryCause } from './explanation.js';

/** The injected fault that decided the attempt, if one did. A fault that changes the bytes decides what a receiver says. */
export function* causesOfFaults(evidence: AttemptedEvidence): Generator<DeliveryCause> {
  const { attempt } = evidence;
  for (const fault of attempt.faults ?? []) {
    const did = whatItDid(fault);
    const isChange = fault.kind === 'tamper' || fault.kind === 'malformed_json' || fault.kind === 'drift';
    if (did === undefined || (isChange && (attempt.status === undefined || attempt.error === undefined)))
      continue;
    const { name, remove } = ruleOf(fault, evidence);
    yield {
      cause: 'fault',
      // A receiver that fails would perhaps have failed without the fault, too.
      certainty: isChange && Number(attempt.status) >= 500 ? 'likely' : 'certain',
      explanation: `${name} ${did}`,
      advice: `${adviceOn(fault)} ${remove}`,
    };
  }
}

function whatItDid(fault: DeliveryFault): string | undefined {
  switch (fault.kind) {
    case 'status':
      return `answered ${fault.status} in place of the receiver, ${whatTheReceiverGot(fault)}.`;
    case 'reset':
      return `broke the connection to the receiver, ${whatTheReceiverGot(fault)}.`;
    case 'stall':
      return `let the attempt run into its timeout without an answer of the receiver, ${whatTheReceiverGot(fault)}.`;
    case 'tamper':
      return `changed the ${fault.part ?? 'signature'} after signing, so the receiver was right to refuse it.`;
    case 'malformed_json':
      return 'cut the body in half before signing, so it is no JSON.';
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

function adviceOn({ kind }: DeliveryFault): string {
  return kind === 'tamper' || kind === 'malformed_json' || kind === 'drift'
    ? 'Nothing is wrong with a receiver that refuses this.'
    : 'Nothing is wrong with the receiver.';
}

function ruleOf(fault: DeliveryFault, { delivery, rules }: Evidence): { name: string; remove: string } {
  const written = JSON.stringify(fault);
  const found = rules.find(
    ({ rule }) =>
      rule.delivery !== undefined &&
      [delivery.event, 'any'].includes(rule.delivery) &&
      [delivery.subscriptionId, undefined].includes(rule.subscriptionId) &&
      JSON.stringify(rule.fault) === written,
  );
  return found === undefined
    ? { name: `An injected fault (${fault.kind})`, remove: 'Its rule was removed since.' }
    : { name: `The fault rule ${found.id}`, remove: 'Remove the rule when you have seen enough.' };
}
