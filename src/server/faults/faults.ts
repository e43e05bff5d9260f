import type { FaultRule } from '../model/fault-rule.js';

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
