import type { AnyOperation } from '../../contract/operation.js';
import type { DeliveryFault, RequestFault } from '../model/fault.js';
import type { DeliveryFaultRule, FaultRule, RequestFaultRule } from '../model/fault-rule.js';
import { notRight } from '../model/not-right.js';
import type { DeliveryRecord } from '../model/records.js';
import { ActiveRule, chooseAmong, type Injection } from './active-rule.js';
import type { FaultState } from './faults.js';
import { defaultRandomSeed, type RandomStream, randomFrom, seededRandom } from './random.js';
import { checkRule } from './rule-schema.js';
import type { SavedFaults } from './saved-faults.js';

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

/** The rules of one workspace. Decides which faults to inject. */
export class WorkspaceFaults {
  readonly #onChange: () => void;
  readonly #shared: SharedRules;
  #seed: number;
  #randomOfHeaders: RandomStream;
  /** The number of streams of the seed in use. The headers use the first. */
  #streams = 1;
  #added = 0;
  #rules: readonly ActiveRule<FaultRule>[] = [];
  #ofRequests: readonly ActiveRule<RequestFaultRule>[] = [];
  #ofDeliveries: readonly ActiveRule<DeliveryFaultRule>[] = [];

  /** @param onChange - Called when a rule is added or removed, or its counts change. */
  constructor(
    seed = defaultRandomSeed,
    rules: readonly FaultRule[] = [],
    onChange = () => {},
    shared = unsharedRules,
  ) {
    this.#onChange = onChange;
    this.#shared = shared;
    this.#seed = seed;
    this.#randomOfHeaders = seededRandom(seed, 0);
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
      this.#keep([]);
      this.#streams = 1;
      this.#randomOfHeaders = seededRandom(this.#seed, 0);
      for (const rule of checked) this.#add(rule);
    });
  }

  remove(id: string): boolean {
    const isThere = this.#rules.some((rule) => rule.id === id);
    this.#change(() => this.#remove(id));
    return isThere;
  }

  clear(): void {
    this.#change(() => this.#keep([]));
  }

  list(): readonly FaultState[] {
    return this.#rules.map(({ id, rule, matched, injected }) => ({ id, rule, matched, injected }));
  }

  /** Returns the state of the rules, from which they can resume. */
  save(): SavedFaults {
    return {
      randomSeed: this.#seed,
      streams: this.#streams,
      added: this.#added,
      randomOfHeaders: this.#randomOfHeaders.position(),
      rules: this.#rules.map(({ id, rule, matched, injected, random }) => ({
        id,
        rule,
        matched,
        injected,
        random: random.position(),
      })),
    };
  }

  /** Replaces the rules with saved ones, and resumes from their state. */
  goOn({ randomSeed, streams, added, randomOfHeaders, rules }: SavedFaults): void {
    this.#seed = randomSeed;
    this.#streams = streams;
    this.#added = added;
    this.#randomOfHeaders = randomFrom(randomOfHeaders);
    this.#keep(
      rules.map(({ id, rule, random, ...counts }) => new ActiveRule(id, rule, randomFrom(random), counts)),
    );
  }

  /** Whether any rule is for requests. */
  get concernRequests(): boolean {
    return this.#ofRequests.length > 0;
  }

  /** Whether any rule is for deliveries. */
  get concernDeliveries(): boolean {
    return this.#ofDeliveries.length > 0;
  }

  /** Returns the faults to inject into this request, from its header and the rules. */
  forRequest(
    operation: AnyOperation,
    asked: RequestFault | undefined,
  ): Promise<readonly Injection<RequestFault>[]> {
    return this.#shared.decide(() => this.#forRequest(operation, asked));
  }

  /** Returns the faults to inject into the next attempt of this delivery. */
  forDelivery(delivery: DeliveryRecord): Promise<readonly Injection<DeliveryFault>[]> {
    return this.#shared.decide(() => this.#forDelivery(delivery));
  }

  /** Changes the rules of this process and of every replica. */
  #change(change: () => void): void {
    change();
    this.#shared.repeat(change);
  }

  #add(rule: FaultRule): string {
    if (this.#rules.length >= rulesKept) {
      throw new RangeError(
        `The workspace already has ${rulesKept} fault rules. Remove some before you add another.`,
      );
    }
    const random = seededRandom(this.#seed, this.#streams);
    this.#streams += 1;
    this.#added += 1;
    const id = `fault_${this.#added}`;
    this.#keep([...this.#rules, new ActiveRule(id, rule, random)]);
    return id;
  }

  #remove(id: string): void {
    this.#keep(this.#rules.filter((other) => other.id !== id));
  }

  #forRequest({ name }: AnyOperation, asked: RequestFault | undefined): readonly Injection<RequestFault>[] {
    const byHeader =
      asked === undefined
        ? []
        : [
            new ActiveRule<RequestFaultRule>(
              'header',
              { operation: 'any', fault: asked },
              this.#randomOfHeaders,
            ),
          ];
    const met = this.#ofRequests.filter(
      (active) => (active.rule.operation === 'any' || active.rule.operation === name) && active.meetsNext(),
    );
    return this.#choose([...byHeader, ...met]);
  }

  #forDelivery({ event, subscriptionId }: DeliveryRecord): readonly Injection<DeliveryFault>[] {
    const met = this.#ofDeliveries.filter(
      (active) =>
        (active.rule.delivery === 'any' || active.rule.delivery === event) &&
        (active.rule.subscriptionId ?? subscriptionId) === subscriptionId &&
        active.meetsNext(),
    );
    return this.#choose(met);
  }

  /** Counts the match of each rule, and returns the faults to inject. */
  #choose<Rule extends FaultRule>(met: readonly ActiveRule<Rule>[]): readonly Injection<Rule['fault']>[] {
    this.#onChange();
    return chooseAmong(met).map(({ rule: { fault }, random }) => ({ fault, random }));
  }

  #keep(rules: readonly ActiveRule<FaultRule>[]): void {
    this.#onChange();
    this.#rules = rules;
    this.#ofRequests = rules.filter(isOfRequests);
    this.#ofDeliveries = rules.filter(isOfDeliveries);
  }
}

function checkedRule(rule: FaultRule): FaultRule {
  const validation = checkRule(rule);
  if (validation.valid) return validation.value;
  throw notRight('The fault rule', validation.problems);
}

function isOfRequests(active: ActiveRule<FaultRule>): active is ActiveRule<RequestFaultRule> {
  return active.rule.operation !== undefined;
}

function isOfDeliveries(active: ActiveRule<FaultRule>): active is ActiveRule<DeliveryFaultRule> {
  return active.rule.delivery !== undefined;
}
