import type { AnyOperation } from '../../contract/operation.js';
import type {
  DeliveryFault,
  DeliveryFaultRule,
  FaultRule,
  RequestFault,
  RequestFaultRule,
} from '../model/fault.js';
import type { DeliveryRecord } from '../model/records.js';
import { notRight } from '../model/service-error.js';
import type { SharedValue } from '../time/shared-value.js';
import { checkRule, type SavedFaults } from './fault-schemas.js';
import { defaultRandomSeed, draw, firstPosition, type RandomNumbers } from './random.js';

/**
 * A fault rule with its counts.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type FaultState } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({ faults: [{ operation: 'any', nth: 3, fault: { kind: 'stall' } }] });
 * await server.client.templates.list();
 * const states: readonly FaultState[] = await server.faults.list();
 * console.log(states[0]?.matched, states[0]?.injected); // 1 0
 * ```
 */
export interface FaultState {
  /** The id of the rule within its workspace, for `remove`. */
  readonly id: string;
  readonly rule: FaultRule;
  /** How many requests or attempts matched the rule. */
  readonly matched: number;
  /** How many faults the rule injected into them. */
  readonly injected: number;
}

/** The largest number of rules. More come from a loop that never removes one. */
const rulesKept = 1_000;

/** A fault to inject, and the random number of its open choice: from 0 up to, but not including, 1. */
export interface Injection<Fault extends RequestFault | DeliveryFault> {
  readonly fault: Fault;
  readonly drawn: number;
}

/** Returns the fault besides the latencies, if there is one. */
export function withoutLatencies<Fault extends RequestFault | DeliveryFault>(
  injections: readonly Injection<Fault>[],
): Injection<Fault> | undefined {
  return injections.find(({ fault }) => fault.kind !== 'latency');
}

/**
 * Returns the faults of a new workspace.
 *
 * @throws ConfigurationError that names each invalid field of a rule; RangeError beyond 1,000 rules.
 */
export function faultsOf(randomSeed = defaultRandomSeed, rules: readonly FaultRule[] = []): SavedFaults {
  return rules.reduce((faults, rule) => withRule(faults, checkedRule(rule)), noRules(randomSeed, 0));
}

/** Returns the faults after a reset to these rules. The random numbers start again. The ids continue. */
export function resetFaults(
  { randomSeed, added }: SavedFaults,
  rules: readonly FaultRule[] = [],
): SavedFaults {
  return rules.reduce((faults, rule) => withRule(faults, checkedRule(rule)), noRules(randomSeed, added));
}

/** The fields have the order of the schema, so that a state from a store, if nothing changes it, is written as it was. */
function noRules(randomSeed: number, added: number): SavedFaults {
  // The headers use the first stream.
  return { randomSeed, streams: 1, added, randomOfHeaders: firstPosition(randomSeed, 0), rules: [] };
}

/** The rules of one workspace. Decides which faults to inject. */
export class WorkspaceFaults {
  readonly #faults: SharedValue<SavedFaults>;

  constructor(faults: SharedValue<SavedFaults>) {
    this.#faults = faults;
  }

  add(rule: FaultRule): Promise<FaultState> {
    const checked = checkedRule(rule);
    return this.#faults.change((now) => {
      const next = withRule(now, checked);
      return [next, { id: idAfter(now), rule: checked, matched: 0, injected: 0 }];
    });
  }

  remove(id: string): Promise<boolean> {
    return this.#faults.change((now) => {
      const rules = now.rules.filter((each) => each.id !== id);
      return rules.length === now.rules.length ? [now, false] : [{ ...now, rules }, true];
    });
  }

  clear(): Promise<void> {
    return this.#faults.change((now) => [{ ...now, rules: [] }, undefined]);
  }

  list(): readonly FaultState[] {
    return this.#faults.now.rules.map(({ random: _, ...state }) => state);
  }

  /** Whether any rule is for requests. */
  get concernRequests(): boolean {
    return this.#faults.now.rules.some(({ rule }) => rule.operation !== undefined);
  }

  /** Whether any rule is for deliveries. */
  get concernDeliveries(): boolean {
    return this.#faults.now.rules.some(({ rule }) => rule.delivery !== undefined);
  }

  /** Returns the faults to inject into this request, from its header and the rules. */
  forRequest(
    { name }: AnyOperation,
    asked: RequestFault | undefined,
  ): Promise<readonly Injection<RequestFault>[]> {
    const rule: RequestFaultRule | undefined = asked && { operation: 'any', fault: asked };
    return this.#faults.change((now) => {
      const counting = new Counting(now);
      const matching = counting.rules
        .filter(isOfRequests)
        .filter((active) => active.rule.operation === 'any' || active.rule.operation === name);
      return counting.choose(matching, rule);
    });
  }

  /** Returns the faults to inject into the next attempt of this delivery. */
  forDelivery({ event, subscriptionId }: DeliveryRecord): Promise<readonly Injection<DeliveryFault>[]> {
    return this.#faults.change((now) => {
      const counting = new Counting(now);
      const matching = counting.rules
        .filter(isOfDeliveries)
        .filter(
          ({ rule }) =>
            (rule.delivery === 'any' || rule.delivery === event) &&
            (rule.subscriptionId ?? subscriptionId) === subscriptionId,
        );
      return counting.choose(matching);
    });
  }
}

/** A rule, whose counts and random numbers go on. */
interface ActiveRule<Rule extends FaultRule = FaultRule> extends RandomNumbers {
  readonly id: string;
  readonly rule: Rule;
  matched: number;
  injected: number;
}

/** A copy of the faults that counts one request or attempt. */
class Counting {
  readonly #before: SavedFaults;
  readonly rules: readonly ActiveRule[];

  constructor(before: SavedFaults) {
    this.#before = before;
    this.rules = before.rules.map((rule) => ({ ...rule }));
  }

  /**
   * Counts the matching rules, and returns the faults afterwards, and those to inject, of the rules that are met: every latency, and
   * the first other fault.
   *
   * @param header - The rule of the request's header. It comes first.
   */
  choose<Rule extends FaultRule>(
    matching: readonly ActiveRule<Rule>[],
    header?: Rule,
  ): readonly [SavedFaults, readonly Injection<Rule['fault']>[]] {
    const before = this.#before;
    if (matching.length === 0 && header === undefined) return [before, []];
    const ofHeader = header && {
      id: 'header',
      rule: header,
      matched: 0,
      injected: 0,
      random: before.randomOfHeaders,
    };
    const met = [...(ofHeader ? [ofHeader] : []), ...matching.filter(meetsNext)];
    const first = met.find(({ rule }) => rule.fault.kind !== 'latency');
    const chosen = met.filter((active) => active === first || active.rule.fault.kind === 'latency');
    const injections = chosen.map((active) => {
      const { fault } = active.rule;
      active.injected += 1;
      return { fault, drawn: fault.kind === 'drift' ? draw(active) : 0 };
    });
    const randomOfHeaders = ofHeader?.random ?? before.randomOfHeaders;
    return [{ ...before, randomOfHeaders, rules: this.rules }, injections];
  }
}

function isOfRequests(active: ActiveRule): active is ActiveRule<RequestFaultRule> {
  return active.rule.operation !== undefined;
}

function isOfDeliveries(active: ActiveRule): active is ActiveRule<DeliveryFaultRule> {
  return active.rule.delivery !== undefined;
}

/** Counts a match of the rule, and decides whether to inject its fault. */
function meetsNext(active: ActiveRule): boolean {
  const { nth, every = 1, times = Number.POSITIVE_INFINITY, probability = 1 } = active.rule;
  active.matched += 1;
  // Draw for each match, even if another field decides, so that the nth match always gets the same random number.
  const drawn = draw(active) < probability;
  const counted = (nth === undefined || active.matched === nth) && active.matched % every === 0;
  return drawn && counted && active.injected < times;
}

/** @throws RangeError beyond 1,000 rules. */
function withRule(faults: SavedFaults, rule: FaultRule): SavedFaults {
  const { randomSeed, streams, added, rules } = faults;
  if (rules.length >= rulesKept) {
    throw new RangeError(
      `The workspace already has ${rulesKept} fault rules. Remove some before you add another.`,
    );
  }
  const random = firstPosition(randomSeed, streams);
  const counted = { id: idAfter(faults), rule, matched: 0, injected: 0, random };
  return { ...faults, streams: streams + 1, added: added + 1, rules: [...rules, counted] };
}

/** The id of the next rule. */
function idAfter({ added }: SavedFaults): string {
  return `fault_${added + 1}`;
}

function checkedRule(rule: FaultRule): FaultRule {
  const validation = checkRule(rule);
  if (validation.valid) return validation.value;
  throw notRight('The fault rule', validation.problems);
}
