import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';
import { faultRuleSchema } from '../faults/fault-schemas.js';
import type { FaultState } from '../faults/workspace-faults.js';
import type { FaultRule } from '../model/fault.js';
import { type LiveWorkspace, run } from '../workspace/live-workspace.js';
import { change } from './change.js';
import { operation, orInvalid } from './operation.js';
import type * as Shapes from './shapes.js';

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
 * const rule = { operation: 'contacts.find', fault: { kind: 'status', status: 503 } } as const;
 * const removeFault = await server.faults.add(rule);
 * await server.client.contacts.find('+15551234567').catch((error) => console.log(error.status)); // 503
 * await removeFault();
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
  add(rule: FaultRule): Promise<() => Promise<void>>;
  /** Removes the rule with an id that `list` returned. False if no rule has the id. */
  remove(id: string): Promise<boolean>;
  /** Removes all rules, including those of the seed. */
  clear(): Promise<void>;
  /** Returns the current rules in the order of their addition. */
  list(): Promise<readonly FaultState[]>;
}

/** Returns the faults of a workspace. */
export function faultsOf(live: LiveWorkspace): Faults {
  const { faults } = live;
  const remove = (id: string) => {
    const before = () => faults.list().find((each) => each.id === id)?.rule;
    return change(live, { operation: 'faults.remove', given: [id], before }, () => faults.remove(id));
  };
  return {
    async add(rule) {
      const { id } = await addFault(live, rule);
      return async () => void (await remove(id));
    },
    remove,
    clear() {
      const before = () => faults.list().map(({ rule }) => rule);
      return change(live, { operation: 'faults.clear', before }, () => faults.clear());
    },
    list: () => run(live, () => faults.list()),
  };
}

function addFault(live: LiveWorkspace, rule: FaultRule): Promise<FaultState> {
  return change(live, { operation: 'faults.add', given: [rule], idOf: ({ id }) => id }, () =>
    live.faults.add(rule),
  );
}

export const faultsOperations = ({ text, count, listOf }: typeof Shapes) => {
  const stateSchema: Schema<FaultState> = z.strictObject({
    id: text,
    rule: faultRuleSchema,
    matched: count,
    injected: count,
  });
  return {
    list: operation('faults.list', 'GET', '/control/faults', {
      summary: 'Lists the fault rules, and how often each fault was injected.',
      result: listOf(stateSchema),
      rule: async (live) => ({ data: await faultsOf(live).list() }),
    }),
    add: operation('faults.add', 'POST', '/control/faults', {
      summary: 'Adds a fault rule.',
      body: faultRuleSchema,
      status: 201,
      result: stateSchema,
      rule: (live, { body }) => orInvalid(() => addFault(live, body)),
    }),
    clear: operation('faults.clear', 'DELETE', '/control/faults', {
      summary: 'Removes all fault rules, including those of the seed.',
      rule: (live) => faultsOf(live).clear(),
    }),
    remove: operation('faults.remove', 'DELETE', '/control/faults/:id', {
      summary: 'Removes a fault rule.',
      refusals: { 404: 'No rule has this id.' },
      rule: (live, { path }) => faultsOf(live).remove(path.id),
    }),
  };
};
