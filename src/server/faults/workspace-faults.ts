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
 * const states: readonly FaultState[] = server.faults.list();
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

/**
 * Injects faults into the requests and deliveries of a workspace.
 *
 * If several rules apply to the same request or attempt, their latencies add up. Of the other faults, only the one whose rule
 * was added first is injected. A fault in a request's header has priority over all rules.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({ contacts: [{ phone: '+15551234567' }] });
 * const removeFault = server.faults.add({ operation: 'contacts.find', fault: { kind: 'status', status: 503 } });
 * await server.client.contacts.find('+15551234567').catch((error) => console.log(error.status)); // 503
 * removeFault();
 * console.log((await server.client.contacts.find('+15551234567'))?.properties.phone); // +15551234567
 * ```
 */
export interface Faults {
  /**
   * Adds a fault rule.
   *
   * @returns A function that removes the rule. Calling it again does nothing.
   * @throws ConfigurationError that names each invalid field of the rule; RangeError beyond 1,000 rules.
   */
  add(rule: FaultRule): () => void;
  /** Removes the rule with an id that `list` returned. False if no rule has the id. */
  remove(id: string): boolean;
  /** Removes all rules, including those of the seed. */
  clear(): void;
  /** Returns the current rules in the order of their addition. */
  list(): readonly FaultState[];
}

/** The largest number of rules. More come from a loop that never removes one. */
const rulesKept = 1_000;

/** How the replicas of a workspace share its rules. */
export interface SharedRules {
  /** Applies a change of this process to the rules that all replicas share. */
  repeat(change: () => void): void;
  /** Decides by the rules that all replicas share. No other replica decides at the same time. */
  decide<Decision>(decide: () => Decision): Promise<Decision>;
}

/** The rules of a workspace that no other process shares. */
export const unsharedRules: SharedRules = { repeat: () => {}, decide: async (decide) => decide() };

/** A rule, whose counts and random numbers go on. */
interface ActiveRule<Rule extends FaultRule = FaultRule> extends RandomNumbers {
  readonly id: string;
  readonly rule: Rule;
  matched: number;
  injected: number;
}

/** The rules, and what their random numbers and ids follow from. */
interface FaultsNow extends SavedFaults {
  readonly rules: readonly ActiveRule[];
}

/**
 * The beginning of a seed, after so many rules were added. The headers use its first stream. The fields have the order of the schema, so
 * that a state from a store, if nothing changes it, is written as it was.
 */
function withoutRules(randomSeed: number, added: number): FaultsNow {
  return { randomSeed, streams: 1, added, randomOfHeaders: firstPosition(randomSeed, 0), rules: [] };
}

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

/** The rules of one workspace. Decides which faults to inject. */
export class WorkspaceFaults {
  readonly #onChange: () => void;
  readonly #shared: SharedRules;
  #now: FaultsNow;

  /** @param onChange - Called when a rule is added or removed, or its counts change. */
  constructor(
    seed = defaultRandomSeed,
    rules: readonly FaultRule[] = [],
    onChange = () => {},
    shared = unsharedRules,
  ) {
    this.#onChange = onChange;
    this.#shared = shared;
    this.#now = withoutRules(seed, 0);
    for (const rule of rules) this.#add(checkedRule(rule));
  }

  /** @returns The rule's id, which another replica's rule can change until the change is in the store. */
  add(rule: FaultRule): { readonly id: string } {
    const checked = checkedRule(rule);
    const added = { id: '' };
    this.#change(() => {
      added.id = this.#add(checked);
    });
    return added;
  }

  /** Replaces all rules and restarts the random numbers. */
  reset(rules: readonly FaultRule[] = []): void {
    const checked = rules.map(checkedRule);
    this.#change(() => {
      this.#become(withoutRules(this.#now.randomSeed, this.#now.added));
      for (const rule of checked) this.#add(rule);
    });
  }

  remove(id: string): boolean {
    const isThere = this.#now.rules.some((rule) => rule.id === id);
    this.#change(() => this.#keep(this.#now.rules.filter((other) => other.id !== id)));
    return isThere;
  }

  clear(): void {
    this.#change(() => this.#keep([]));
  }

  list(): readonly FaultState[] {
    return this.#now.rules.map(({ random: _, ...state }) => state);
  }

  /** Returns the state of the rules, from which they can resume. */
  save(): SavedFaults {
    return copyOf(this.#now);
  }

  /** Replaces the rules with saved ones, and resumes from their state. */
  resume(saved: SavedFaults): void {
    this.#become(copyOf(saved));
  }

  /** Whether any rule is for requests. */
  get concernRequests(): boolean {
    return this.#now.rules.some(isOfRequests);
  }

  /** Whether any rule is for deliveries. */
  get concernDeliveries(): boolean {
    return this.#now.rules.some(isOfDeliveries);
  }

  /** Returns the faults to inject into this request, from its header and the rules. */
  forRequest(
    { name }: AnyOperation,
    asked: RequestFault | undefined,
  ): Promise<readonly Injection<RequestFault>[]> {
    return this.#shared.decide(() => {
      const met = this.#now.rules
        .filter(isOfRequests)
        .filter(
          (active) =>
            (active.rule.operation === 'any' || active.rule.operation === name) && meetsNext(active),
        );
      if (asked === undefined) return this.#choose(met);
      const rule: RequestFaultRule = { operation: 'any', fault: asked };
      const header = { id: 'header', rule, matched: 0, injected: 0, random: this.#now.randomOfHeaders };
      const chosen = this.#choose([header, ...met]);
      this.#now = { ...this.#now, randomOfHeaders: header.random };
      return chosen;
    });
  }

  /** Returns the faults to inject into the next attempt of this delivery. */
  forDelivery({ event, subscriptionId }: DeliveryRecord): Promise<readonly Injection<DeliveryFault>[]> {
    return this.#shared.decide(() => {
      const met = this.#now.rules
        .filter(isOfDeliveries)
        .filter(
          (active) =>
            (active.rule.delivery === 'any' || active.rule.delivery === event) &&
            (active.rule.subscriptionId ?? subscriptionId) === subscriptionId &&
            meetsNext(active),
        );
      return this.#choose(met);
    });
  }

  /** Changes the rules of this process and of every replica. */
  #change(change: () => void): void {
    change();
    this.#shared.repeat(change);
  }

  #add(rule: FaultRule): string {
    const { randomSeed, streams, added, rules } = this.#now;
    if (rules.length >= rulesKept) {
      throw new RangeError(
        `The workspace already has ${rulesKept} fault rules. Remove some before you add another.`,
      );
    }
    const id = `fault_${added + 1}`;
    const active = { id, rule, matched: 0, injected: 0, random: firstPosition(randomSeed, streams) };
    this.#become({ ...this.#now, streams: streams + 1, added: added + 1, rules: [...rules, active] });
    return id;
  }

  /** Returns the faults to inject, of the rules that are met: every latency, and the first other fault. */
  #choose<Rule extends FaultRule>(met: readonly ActiveRule<Rule>[]): readonly Injection<Rule['fault']>[] {
    this.#onChange();
    const first = met.find(({ rule }) => rule.fault.kind !== 'latency');
    const chosen = met.filter((active) => active === first || active.rule.fault.kind === 'latency');
    return chosen.map((active) => {
      const { fault } = active.rule;
      active.injected += 1;
      return { fault, drawn: fault.kind === 'drift' ? draw(active) : 0 };
    });
  }

  #keep(rules: readonly ActiveRule[]): void {
    this.#become({ ...this.#now, rules });
  }

  #become(now: FaultsNow): void {
    this.#onChange();
    this.#now = now;
  }
}

/** Copies the state with its counts and its random numbers. */
function copyOf(faults: SavedFaults): FaultsNow {
  return { ...faults, rules: faults.rules.map((rule) => ({ ...rule })) };
}

function checkedRule(rule: FaultRule): FaultRule {
  const validation = checkRule(rule);
  if (validation.valid) return validation.value;
  throw notRight('The fault rule', validation.problems);
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
