import TinyQueue from 'tinyqueue';
import type {
  AttemptRecord,
  DeliveryRecord,
  DeliveryStatus,
  SubscriptionRecord,
} from '../../model/records.js';
import type { AfterAttempt, OutboxEvent } from '../store.js';
import { Retention } from './retention.js';

/** A delivery that waits for an attempt. */
interface Waiting {
  readonly deliveryId: string;
  readonly dueAt: number;
  /** Those of one time go out in the order in which they came. */
  readonly order: number;
}

/** One workspace's deliveries in memory: those that wait, by subscription, and the log of those that are over. */
export class MemoryOutbox {
  readonly #deliveries = new Map<string, DeliveryRecord>();
  readonly #over: Retention;
  /** What waits for each subscription. One that was deleted has none. */
  readonly #queues = new Map<string, TinyQueue<Waiting>>();
  readonly #claimed = new Map<string, Waiting>();
  #added = 0;

  constructor(kept: number, deliveries: readonly DeliveryRecord[] = []) {
    this.#over = new Retention(kept);
    for (const delivery of deliveries) this.add(delivery);
  }

  get forgotten(): number {
    return this.#over.forgotten;
  }

  add(delivery: DeliveryRecord): void {
    this.#deliveries.set(delivery.id, delivery);
    if (delivery.status !== 'pending') {
      this.#forgetOld(delivery);
      return;
    }
    const dueAt = delivery.dueAt ?? delivery.createdAt;
    const queue = this.#queueOf(delivery.subscriptionId);
    queue.push({ deliveryId: delivery.id, dueAt, order: this.#added });
    this.#added += 1;
  }

  get(deliveryId: string): DeliveryRecord | undefined {
    return this.#deliveries.get(deliveryId);
  }

  claim(subscriptionId: string, now: number, limit: number): readonly DeliveryRecord[] {
    const queue = this.#queues.get(subscriptionId);
    const claimed: DeliveryRecord[] = [];
    while (claimed.length < limit && (queue?.peek()?.dueAt ?? Number.POSITIVE_INFINITY) <= now) {
      const waiting = queue?.pop();
      const delivery = this.#deliveries.get(waiting?.deliveryId ?? '');
      if (waiting === undefined || delivery === undefined) continue;
      this.#claimed.set(delivery.id, waiting);
      claimed.push(delivery);
    }
    return claimed;
  }

  release(deliveryId: string): void {
    const delivery = this.#deliveries.get(deliveryId);
    const claimed = this.#take(deliveryId);
    if (delivery === undefined || claimed === undefined) return;
    const queue = this.#queues.get(delivery.subscriptionId);
    if (queue === undefined) this.#end(delivery, 'cancelled');
    else queue.push(claimed);
  }

  recordAttempt(deliveryId: string, attempt: AttemptRecord, after: AfterAttempt): DeliveryRecord | undefined {
    const delivery = this.#deliveries.get(deliveryId);
    const claimed = this.#take(deliveryId);
    if (delivery === undefined || claimed === undefined) return undefined;
    const attempted = { ...delivery, attempts: [...delivery.attempts, attempt] };
    if (after.status !== 'pending') return this.#end(attempted, after.status);
    const queue = this.#queues.get(delivery.subscriptionId);
    // With the subscription deleted during the attempt, nothing waits any more and nothing is retried.
    if (queue === undefined) return this.#end(attempted, 'cancelled');
    const { dueAt, body = delivery.body } = after;
    const waiting: DeliveryRecord = { ...attempted, body, dueAt };
    this.#deliveries.set(waiting.id, waiting);
    queue.push({ ...claimed, dueAt });
    return waiting;
  }

  /** Gives up whatever waits for the subscription. What is claimed is in flight; its attempt settles it. */
  dropPending(subscriptionId: string): void {
    const queue = this.#queues.get(subscriptionId);
    for (let next = queue?.pop(); next !== undefined; next = queue?.pop()) {
      const delivery = this.#deliveries.get(next.deliveryId);
      if (delivery !== undefined) this.#end(delivery, 'cancelled');
    }
    this.#queues.delete(subscriptionId);
  }

  list(): readonly DeliveryRecord[] {
    return [...this.#deliveries.values()];
  }

  /** The same, as it would be if all that is claimed were given back. */
  listGivenBack(): readonly DeliveryRecord[] {
    return this.list().map((delivery) =>
      delivery.status === 'pending' && !this.#queues.has(delivery.subscriptionId)
        ? ended(delivery, 'cancelled')
        : delivery,
    );
  }

  /** Ends the claim, where there is one. */
  #take(deliveryId: string): Waiting | undefined {
    const claimed = this.#claimed.get(deliveryId);
    this.#claimed.delete(deliveryId);
    return claimed;
  }

  #queueOf(subscriptionId: string): TinyQueue<Waiting> {
    const known = this.#queues.get(subscriptionId);
    if (known !== undefined) return known;
    const created = new TinyQueue<Waiting>([], (a, b) => a.dueAt - b.dueAt || a.order - b.order);
    this.#queues.set(subscriptionId, created);
    return created;
  }

  #end(delivery: DeliveryRecord, status: DeliveryStatus): DeliveryRecord {
    const over = ended(delivery, status);
    this.#deliveries.set(over.id, over);
    this.#forgetOld(over);
    return over;
  }

  #forgetOld(delivery: DeliveryRecord): void {
    const forgotten = this.#over.add(delivery.id);
    if (forgotten !== undefined) this.#deliveries.delete(forgotten);
  }
}

/** A delivery of the event to a subscription. */
export function deliveryOf(event: OutboxEvent, { id, url }: SubscriptionRecord): DeliveryRecord {
  return {
    id: event.newDeliveryId(),
    subscriptionId: id,
    event: event.type,
    url,
    body: event.body,
    status: 'pending',
    attempts: [],
    dueAt: event.createdAt,
    createdAt: event.createdAt,
  };
}

function ended({ dueAt: _, ...delivery }: DeliveryRecord, status: DeliveryStatus): DeliveryRecord {
  return { ...delivery, status };
}
