import type { SubscriptionRecord } from '../model/records.js';

/** The webhook subscriptions of a workspace. `WorkspaceStore` deletes them, because that also cancels their pending deliveries. */
export interface SubscriptionStore {
  create(subscription: SubscriptionRecord): Promise<void>;
  /** Returns all subscriptions, including managed ones, in the order of their creation. */
  list(): Promise<readonly SubscriptionRecord[]>;
}
