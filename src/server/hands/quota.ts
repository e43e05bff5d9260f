import type { QuotaChange, QuotaRecord } from '../model/records.js';
import { quotaChangeSchema } from '../seed/workspace-seed.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { checked } from './checked.js';

/**
 * The conversations that a workspace has left to spend.
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
  /** What is left, of the plan and of the add-on credits. */
  read(): Promise<QuotaRecord>;
  /**
   * Sets what is left, of the plan, of the add-on credits or of both.
   *
   * @returns What is left then.
   * @throws TypeError that names what is wrong with it.
   */
  set(quota: QuotaChange): Promise<QuotaRecord>;
}

export function quotaOf({ opened, context: { store } }: LiveWorkspace): WorkspaceQuota {
  return {
    async read() {
      await opened();
      return store.sends.readQuota();
    },
    async set(quota) {
      const change = checked(quotaChangeSchema, 'The quota', quota);
      await opened();
      return store.sends.setQuota(change);
    },
  };
}
