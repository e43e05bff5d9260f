import type { AnyOperation } from '../../contract/operation.js';
import type { DeliveryFault, RequestFault } from '../model/fault.js';
import type { DeliveryFaultRule, FaultRule, RequestFaultRule } from '../model/fault-rule.js';
import { notRight } from '../model/not-right.js';
import type { DeliveryRecord } from '../model/records.js';
import { ActiveRule, chooseAmong, type Injection } from './active-rule.js';
import type { FaultState, Faults } from './faults.js';
import { defaultRandomSeed, type RandomStream, randomFrom, seededRandom } from './random.js';
import { checkRule } from './rule-schema.js';
import type { SavedFaults } from './saved-faults.js';

/** The largest number of rules: more come from a loop that never removes one. */
const rulesKept = 1_000;

/** The rules of one workspace. Decides which of them strike. */
export class WorkspaceFaults implements Faults {
  readonly #onChange: () => void;
  #seed: number;
  #randomOfHeaders: RandomStream;
  /** The number of streams of the seed in use. The headers use the first. */
  #streams = 1;
  #added = 0;
  #rules: readonly ActiveRule<FaultRule>[] = [];
  #ofRequests: readonly ActiveRule<RequestFaultRule>[] = [];
  #ofDeliveries: readonly ActiveRule<DeliveryFaultRule>[] = [];

  /** @param onChange - Called when a rule is added or removed, or counts. */
  constructor(seed = defaultRandomSeed, rules: readonly FaultRule[] = [], onChange = () => {}) {
    this.#onChange = onChange;
    this.#seed = seed;
    this.#randomOfHeaders = seededRandom(seed, 0);
    for (const rule of rules) this.add(rule);
  }

  add(rule: FaultRule): () => void {
    if (this.#rules.length >= rulesKept) {
      throw new RangeError(
        `The workspace already has ${rulesKept} fault rules. Remove some before you add another.`,
      );
    }
    const checked = checkedRule(rule);
    const random = seededRandom(this.#seed, this.#streams);
    this.#streams += 1;
    this.#added += 1;
    const active = new ActiveRule(`fault_${this.#added}`, checked, random);
    this.#keep([...this.#rules, active]);
    return () => this.#keep(this.#rules.filter((other) => other !== active));
  }

  /** Replaces all rules and restarts the random numbers. */
  reset(rules: readonly FaultRule[] = []): void {
    this.clear();
    this.#streams = 1;
    this.#randomOfHeaders = seededRandom(this.#seed, 0);
    for (const rule of rules) this.add(rule);
  }

  remove(id: string): boolean {
    const kept = this.#rules.filter((other) => other.id !== id);
    const removed = kept.length < this.#rules.length;
    this.#keep(kept);
    return removed;
  }

  clear(): void {
    this.#keep([]);
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

  /** Replaces the rules by saved ones and resumes from their state. */
  goOn({ randomSeed, streams, added, randomOfHeaders, rules }: SavedFaults): void {
    this.#seed = randomSeed;
    this.#streams = streams;
    this.#added = added;
    this.#randomOfHeaders = randomFrom(randomOfHeaders);
    this.#keep(
      rules.map(({ id, rule, random, ...counts }) => new ActiveRule(id, rule, randomFrom(random), counts)),
    );
  }

  /** Whether a rule could strike a request. */
  get concernRequests(): boolean {
    return this.#ofRequests.length > 0;
  }

  /** Whether a rule could strike an attempt. */
  get concernDeliveries(): boolean {
    return this.#ofDeliveries.length > 0;
  }

  /** The faults that strike this request: of its header and of the rules. */
  forRequest({ name }: AnyOperation, asked: RequestFault | undefined): readonly Injection<RequestFault>[] {
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

  /** The faults that strike the next attempt of this delivery. */
  forDelivery({ event, subscriptionId }: DeliveryRecord): readonly Injection<DeliveryFault>[] {
    const met = this.#ofDeliveries.filter(
      (active) =>
        (active.rule.delivery === 'any' || active.rule.delivery === event) &&
        (active.rule.subscriptionId ?? subscriptionId) === subscriptionId &&
        active.meetsNext(),
    );
    return this.#choose(met);
  }

  /** The faults of the rules that strike. The other matching rules count too. */
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
