import type { QuotaChange, QuotaRecord } from '../model/records.js';
import { quotaChangeSchema } from '../seed/workspace-seed.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { checked } from './checked.js';
import { whenOpen } from './when-open.js';

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
export interface WorkspaceQuota {
  /** Returns the remaining conversations of the plan and the remaining add-on credits. */
  read(): Promise<QuotaRecord>;
  /**
   * Sets the remaining conversations of the plan, the add-on credits, or both.
   *
   * @returns The remaining conversations after the change.
   * @throws ConfigurationError that names each invalid field.
   */
  set(quota: QuotaChange): Promise<QuotaRecord>;
}

export function quotaOf(live: LiveWorkspace): WorkspaceQuota {
  const { store } = live.context;
  return whenOpen(live, {
    read: () => store.sends.readQuota(),
    set: (quota) => store.sends.setQuota(checked(quotaChangeSchema, 'The quota', quota)),
  });
}
