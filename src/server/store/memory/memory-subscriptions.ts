import type { SubscriptionRecord } from '../../model/records.js';
import type { SubscriptionStore } from '../subscription-store.js';

/** One workspace's webhook subscriptions in memory. */
export class MemorySubscriptions implements SubscriptionStore {
  readonly #byId: Map<string, SubscriptionRecord>;
  readonly #changed: () => void;

  constructor(subscriptions: readonly SubscriptionRecord[], changed: () => void) {
    this.#changed = changed;
    this.#byId = new Map(subscriptions.map((subscription) => [subscription.id, subscription]));
  }

  async create(subscription: SubscriptionRecord): Promise<void> {
    this.#byId.set(subscription.id, subscription);
    this.#changed();
  }

  async list(): Promise<readonly SubscriptionRecord[]> {
    return this.all();
  }

  get(subscriptionId: string): SubscriptionRecord | undefined {
    return this.#byId.get(subscriptionId);
  }

  delete(subscriptionId: string): boolean {
    const isDeleted = this.#byId.delete(subscriptionId);
    if (isDeleted) this.#changed();
    return isDeleted;
  }

  all(): readonly SubscriptionRecord[] {
    return [...this.#byId.values()];
  }
}
