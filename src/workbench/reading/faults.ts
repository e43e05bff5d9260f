import type { FaultState } from '../../server/faults/workspace-faults.js';
import type { DeliveryFault, FaultRule, RequestFault } from '../../server/model/fault.js';
import { inWords } from './contract-words.js';
import { lengthInWords } from './times.js';

/** Describes a fault rule: what it affects, and how. */
export function faultInWords(rule: FaultRule): string {
  const { nth, every, times, probability } = rule;
  const often = [
    nth !== undefined && `only number ${nth}`,
    every !== undefined && `one in ${every}`,
    times !== undefined && (times === 1 ? 'once' : `${times} times`),
    probability !== undefined && `${probability * 100} %`,
  ].filter((words) => words !== false);
  return [`${targetInWords(rule)}: ${kindInWords(rule)}`, ...often].join(', ');
}

function targetInWords({ operation, delivery }: FaultRule): string {
  if (operation !== undefined) return operation === 'any' ? 'every request' : operation;
  return delivery === 'any' ? 'every delivery' : `deliveries of ${delivery}`;
}

/** What a fault does, in the words of the choices below. */
export function kindInWords({ fault, operation }: FaultRule): string {
  const choices: Readonly<Record<string, object>> = operation === undefined ? deliveryFaults : requestFaults;
  const written = JSON.stringify(fault);
  const chosen = Object.keys(choices).find((name) => JSON.stringify(choices[name]) === written);
  if (chosen !== undefined) return chosen;
  const when = 'when' in fault && fault.when !== undefined ? ` ${inWords(fault.when)}` : '';
  if (fault.kind === 'status')
    return `${operation === undefined ? 'gets a' : 'returns'} ${fault.status}${when}`;
  if (fault.kind === 'latency') return `takes ${lengthInWords(fault.duration)}${when}`;
  return inWords(fault.kind) + when;
}

/** The faults that were injected into one request or attempt, as a part of a sentence. Nothing if there were none. */
export function injectedInWords(rules: readonly FaultRule[]): readonly string[] {
  return rules.length === 0 ? [] : [`injected: ${rules.map(kindInWords).join(', ')}`];
}

/** Whether a rule injects nothing more. */
export function isSpent({ rule, matched, injected }: FaultState): boolean {
  const { nth, every = 1, times = Number.POSITIVE_INFINITY } = rule;
  const isNever = nth !== undefined && (matched >= nth || nth % every !== 0);
  return isNever || injected >= times;
}

/** The faults of requests, by their descriptions. */
export const requestFaults: Readonly<Record<string, RequestFault>> = {
  'returns 500': { kind: 'status', status: 500 },
  'returns 503, retry after 2 s': { kind: 'status', status: 503, retryAfter: '2s' },
  'returns 429, retry after 2 s': { kind: 'rate_limit', retryAfter: '2s' },
  'takes 3 s': { kind: 'latency', duration: '3s' },
  'is lost before it arrives': { kind: 'reset', when: 'before_commit' },
  'is processed, but its response is lost': { kind: 'reset', when: 'after_commit' },
  'returns half of the JSON': { kind: 'malformed_json' },
  'stalls in the response': { kind: 'stall' },
};

/** The faults of delivery attempts, by their descriptions. */
export const deliveryFaults: Readonly<Record<string, DeliveryFault>> = {
  'gets a 500': { kind: 'status', status: 500 },
  'is lost before it arrives': { kind: 'reset', when: 'before_receipt' },
  'arrives, but its response is lost': { kind: 'reset', when: 'after_receipt' },
  'arrives twice': { kind: 'duplicate' },
  'arrives after the next one': { kind: 'reorder' },
  'takes 3 s': { kind: 'latency', duration: '3s' },
  'times out': { kind: 'stall' },
  'arrives with a broken signature': { kind: 'tamper', part: 'signature' },
};
