import type { SubscriptionRecord } from '../model/records.js';

/** The webhook subscriptions of a workspace. `WorkspaceStore` deletes them, together with what waits for them. */
export interface SubscriptionStore {
  create(subscription: SubscriptionRecord): Promise<void>;
  /** All of them, also those that the service manages itself. Oldest first. */
  list(): Promise<readonly SubscriptionRecord[]>;
}
