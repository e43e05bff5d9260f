import type { SubscriptionRecord } from '../../model/records.js';
import type { SubscriptionStore } from '../subscription-store.js';
import { RecordsById } from './records-by-id.js';

/** One workspace's webhook subscriptions in memory. */
export class MemorySubscriptions extends RecordsById<SubscriptionRecord> implements SubscriptionStore {
  create(subscription: SubscriptionRecord): Promise<void> {
    return this.put(subscription);
  }
}
