import * as z from 'zod/mini';
import type { Schema } from '../../contract/schema.js';
import type { QuotaChange, QuotaRecord } from '../model/records.js';
import { count } from '../seed/fields.js';
import { type LiveWorkspace, run } from '../workspace/live-workspace.js';
import { checked } from './calls.js';
import { change } from './change.js';
import { operation } from './operation.js';
import type * as Shapes from './shapes.js';

/**
 * Reads and sets the remaining conversations of a workspace.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({ quota: 100 });
 * await server.quota.set({ quota: 0, addOnCredits: 2 });
 * console.log(await server.quota.read()); // { quota: 0, addOnCredits: 2 }
 * ```
 */
export type WorkspaceQuota = {
  /** Returns the remaining conversations of the plan and the remaining add-on credits. */
  read(): Promise<QuotaRecord>;
  /**
   * Sets the remaining conversations of the plan, the add-on credits, or both.
   *
   * @returns The remaining conversations after the change.
   * @throws ConfigurationError that names each invalid field.
   */
  set(quota: QuotaChange): Promise<QuotaRecord>;
};

const changeSchema: Schema<QuotaChange> = z.strictObject({
  quota: z.optional(count),
  addOnCredits: z.optional(count),
});

export function quotaOf(live: LiveWorkspace): WorkspaceQuota {
  const { store } = live.context;
  return {
    read: () => run(live, () => store.sends.readQuota()),
    async set(quota) {
      const wanted = checked(changeSchema, 'The quota', quota);
      const before = () => store.sends.readQuota();
      return change(live, { operation: 'quota.set', given: [wanted], before }, () =>
        store.sends.setQuota(wanted),
      );
    },
  };
}

export const quotaOperations = (shapes: typeof Shapes) => {
  const result = z.strictObject({ quota: shapes.count, addOnCredits: shapes.count });
  return {
    read: operation('quota.read', 'GET', '/control/quota', {
      summary: 'Returns the remaining conversations: of the plan, and add-on credits.',
      result,
      rule: (live) => quotaOf(live).read(),
    }),
    set: operation('quota.set', 'PUT', '/control/quota', {
      summary: 'Sets the remaining conversations: `quota`, `addOnCredits` or both.',
      body: changeSchema,
      result,
      rule: (live, { body }) => quotaOf(live).set(body),
    }),
  };
};
