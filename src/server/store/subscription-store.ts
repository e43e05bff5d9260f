import type { SubscriptionRecord } from '../model/records.js';
import type { EffectsOf } from './effects.js';

/** The webhook subscriptions of a workspace. `WorkspaceStore` deletes them, since it cancels what waits for them. */
export interface SubscriptionStore {
  create(subscription: SubscriptionRecord): Promise<void>;
  /** All, those that the service manages itself too, in the order in which they were created. */
  list(): Promise<readonly SubscriptionRecord[]>;
}

export const subscriptionEffects: EffectsOf<SubscriptionStore> = {
  create: 'writes',
  list: 'reads',
};
