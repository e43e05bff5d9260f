import type { FaultRule } from '../model/fault-rule.js';

/**
 * How often a rule's fault has struck.
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
  /** Names the rule within its workspace: what `remove` takes. */
  readonly id: string;
  readonly rule: FaultRule;
  /** How many requests or attempts there were that the rule is about. */
  readonly matched: number;
  /** How many of them its fault struck. */
  readonly injected: number;
}

/**
 * What goes wrong in a workspace because a test wants it to.
 *
 * Of several rules whose faults strike the same request or attempt, the latencies add up, and of the other faults the
 * one of the rule that was added first is injected. A fault on a request's own header comes before all rules.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({ contacts: [{ phone: '+15551234567' }] });
 * const takeBack = server.faults.add({ operation: 'contacts.find', fault: { kind: 'status', status: 503 } });
 * await server.client.contacts.find('+15551234567').catch((error) => console.log(error.status)); // 503
 * takeBack();
 * console.log((await server.client.contacts.find('+15551234567'))?.properties.phone); // +15551234567
 * ```
 */
export interface Faults {
  /**
   * Has a fault injected from now on.
   *
   * @returns What takes the rule back; calling it again does nothing.
   * @throws TypeError that names what is wrong with the rule; RangeError beyond 1,000 rules.
   */
  add(rule: FaultRule): () => void;
  /** Takes a rule back by the id that `list` shows. False where no rule has it. */
  remove(id: string): boolean;
  /** Takes all rules back, those of the seed too. */
  clear(): void;
  /** The rules that were not taken back, in the order in which they were added. */
  list(): readonly FaultState[];
}
