import type { FaultRule } from '../../server/model/fault.js';
import { inWords } from './describe-entry.js';
import { lengthInWords } from './lengths.js';

/** Describes a fault rule: what it affects, and how. */
export function faultInWords(rule: FaultRule): string {
  const { nth, every, times, probability } = rule;
  const target = rule.operation ?? rule.delivery;
  const subject =
    rule.operation === undefined
      ? target === 'any'
        ? 'every delivery'
        : `deliveries of ${target}`
      : target === 'any'
        ? 'every request'
        : target;
  const often = [
    nth !== undefined && `only number ${nth}`,
    every !== undefined && `one in ${every}`,
    times !== undefined && (times === 1 ? 'once' : `${times} times`),
    probability !== undefined && `${probability * 100} %`,
  ].filter((words) => words !== false);
  return [`${subject}: ${kindInWords(rule.fault)}`, ...often].join(', ');
}

function kindInWords(fault: FaultRule['fault']): string {
  const when = 'when' in fault && fault.when !== undefined ? ` ${inWords(fault.when)}` : '';
  if (fault.kind === 'status') return `answer ${fault.status}${when}`;
  if (fault.kind === 'latency') return `delay ${lengthInWords(fault.duration)}${when}`;
  return inWords(fault.kind) + when;
}
