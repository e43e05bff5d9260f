import type { AttemptRecord, DeliveryRecord, SubscriptionRecord } from './records.js';
import type { AfterAttempt, OutboxEvent } from './store.js';

/** A delivery that still waits for an attempt; `claimed` while one is under way. */
interface Waiting {
  readonly deliveryId: string;
  dueAt: number;
  claimed: boolean;
}

/** One workspace's deliveries in memory: those that wait, by subscription, and the log of all. */
export class MemoryOutbox {
  readonly #deliveries = new Map<string, DeliveryRecord>();
  readonly #waiting = new Map<string, Map<string, Waiting>>();

  add(subscription: SubscriptionRecord, event: OutboxEvent): void {
    const delivery: DeliveryRecord = {
      id: event.newDeliveryId(),
      subscriptionId: subscription.id,
      event: event.type,
      url: subscription.url,
      body: event.body,
      status: 'pending',
      attempts: [],
      createdAt: event.createdAt,
    };
    this.#deliveries.set(delivery.id, delivery);
    const waiting: Waiting = { deliveryId: delivery.id, dueAt: event.createdAt, claimed: false };
    const queue = this.#waiting.get(subscription.id);
    if (queue === undefined) this.#waiting.set(subscription.id, new Map([[delivery.id, waiting]]));
    else queue.set(delivery.id, waiting);
  }

  claim(subscriptionId: string, now: number, limit: number): readonly DeliveryRecord[] {
    const claimed: DeliveryRecord[] = [];
    for (const waiting of this.#waiting.get(subscriptionId)?.values() ?? []) {
      if (claimed.length >= limit) break;
      if (waiting.claimed || waiting.dueAt > now) continue;
      const delivery = this.#deliveries.get(waiting.deliveryId);
      if (delivery === undefined) continue;
      waiting.claimed = true;
      claimed.push(delivery);
    }
    return claimed;
  }

  recordAttempt(deliveryId: string, attempt: AttemptRecord, after: AfterAttempt): void {
    const delivery = this.#deliveries.get(deliveryId);
    if (delivery === undefined) return;
    const queue = this.#waiting.get(delivery.subscriptionId);
    const waiting = queue?.get(deliveryId);
    // With the subscription deleted during the attempt, nothing waits any more and nothing is retried.
    const status = after.status === 'pending' && waiting === undefined ? 'cancelled' : after.status;
    this.#deliveries.set(deliveryId, { ...delivery, status, attempts: [...delivery.attempts, attempt] });
    if (waiting === undefined) return;
    if (after.status === 'pending') {
      waiting.claimed = false;
      waiting.dueAt = after.dueAt;
    } else {
      queue?.delete(deliveryId);
    }
  }

  /** Gives up whatever waits for the subscription. */
  dropPending(subscriptionId: string): void {
    for (const { deliveryId, claimed } of this.#waiting.get(subscriptionId)?.values() ?? []) {
      const delivery = this.#deliveries.get(deliveryId);
      // A claimed one is in flight; its attempt settles it.
      if (delivery !== undefined && !claimed) {
        this.#deliveries.set(deliveryId, { ...delivery, status: 'cancelled' });
      }
    }
    this.#waiting.delete(subscriptionId);
  }

  list(): readonly DeliveryRecord[] {
    return [...this.#deliveries.values()];
  }
}
