import type { DeliveryFault, RequestFault } from '../model/fault.js';
import type { FaultRule } from '../model/fault-rule.js';
import type { Random, RandomStream } from './random.js';

/** A fault to inject, and the random source for its open choices. */
export interface Injection<Fault extends RequestFault | DeliveryFault> {
  readonly fault: Fault;
  readonly random: Random;
}

/** A fault that is not a latency. */
export type NoLatency<Fault extends RequestFault | DeliveryFault> = Exclude<
  Fault,
  { readonly kind: 'latency' }
>;

export function isNoLatency<Fault extends RequestFault | DeliveryFault>(
  injection: Injection<Fault>,
): injection is Injection<NoLatency<Fault>> {
  return injection.fault.kind !== 'latency';
}

/** How many requests or attempts matched a rule, and how many faults it injected. */
interface RuleCounts {
  readonly matched: number;
  readonly injected: number;
}

const unused: RuleCounts = { matched: 0, injected: 0 };

/** A rule with its counts. */
export class ActiveRule<Rule extends FaultRule> {
  /** The id of the rule within its workspace. */
  readonly id: string;
  readonly rule: Rule;
  readonly random: RandomStream;
  matched: number;
  injected: number;

  constructor(id: string, rule: Rule, random: RandomStream, { matched, injected }: RuleCounts = unused) {
    this.id = id;
    this.rule = rule;
    this.random = random;
    this.matched = matched;
    this.injected = injected;
  }

  /** Counts a match, and decides whether to inject the fault. */
  meetsNext(): boolean {
    const { nth, every = 1, times = Number.POSITIVE_INFINITY, probability = 1 } = this.rule;
    this.matched += 1;
    // Draw for each match, even if another field decides, so that the nth match always gets the same random number.
    const drawn = this.random() < probability;
    const counted = (nth === undefined || this.matched === nth) && this.matched % every === 0;
    return drawn && counted && this.injected < times;
  }
}

/** Selects the faults to apply: every latency, and the first other fault. */
export function chooseAmong<Rule extends FaultRule>(
  met: readonly ActiveRule<Rule>[],
): readonly ActiveRule<Rule>[] {
  const first = met.find(({ rule }) => rule.fault.kind !== 'latency');
  const chosen = met.filter((active) => active === first || active.rule.fault.kind === 'latency');
  for (const active of chosen) active.injected += 1;
  return chosen;
}
