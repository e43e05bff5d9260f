import TinyQueue from 'tinyqueue';
import type { AttemptRecord, DeliveryRecord, DeliveryStatus, SubscriptionRecord } from '../records.js';
import type { AfterAttempt, OutboxEvent } from '../store.js';
import { Retention } from './retention.js';

/** A delivery that waits for an attempt. */
interface Waiting {
  readonly deliveryId: string;
  readonly dueAt: number;
  /** Those of one time go out in the order in which they came. */
  readonly order: number;
}

/** What is to go to one subscription. */
interface Queue {
  readonly waiting: TinyQueue<Waiting>;
  readonly claimed: Set<string>;
}

/** One workspace's deliveries in memory: those that wait, by subscription, and the log of those that are over. */
export class MemoryOutbox {
  readonly #deliveries = new Map<string, DeliveryRecord>();
  readonly #over: Retention;
  readonly #queues = new Map<string, Queue>();
  #queued = 0;

  constructor(kept: number, deliveries: readonly DeliveryRecord[] = []) {
    this.#over = new Retention(kept);
    for (const delivery of deliveries) this.add(delivery);
  }

  /** Puts one delivery of the event in, for a subscription. */
  enqueue(subscription: SubscriptionRecord, event: OutboxEvent): void {
    this.add({
      id: event.newDeliveryId(),
      subscriptionId: subscription.id,
      event: event.type,
      url: subscription.url,
      body: event.body,
      status: 'pending',
      attempts: [],
      dueAt: event.createdAt,
      createdAt: event.createdAt,
    });
  }

  add(delivery: DeliveryRecord): void {
    this.#deliveries.set(delivery.id, delivery);
    if (delivery.status === 'pending') this.#wait(delivery);
    else this.#forgetOld(delivery);
  }

  get(deliveryId: string): DeliveryRecord | undefined {
    return this.#deliveries.get(deliveryId);
  }

  claim(subscriptionId: string, now: number, limit: number): readonly DeliveryRecord[] {
    const queue = this.#queues.get(subscriptionId);
    const claimed: DeliveryRecord[] = [];
    while (queue !== undefined && claimed.length < limit && (queue.waiting.peek()?.dueAt ?? now + 1) <= now) {
      const delivery = this.#deliveries.get(queue.waiting.pop()?.deliveryId ?? '');
      if (delivery === undefined) continue;
      queue.claimed.add(delivery.id);
      claimed.push(delivery);
    }
    return claimed;
  }

  release(deliveryId: string): void {
    const delivery = this.#deliveries.get(deliveryId);
    if (delivery?.status !== 'pending') return;
    const queue = this.#queues.get(delivery.subscriptionId);
    if (queue === undefined) this.#end(withoutDueAt(delivery), 'cancelled');
    else if (queue.claimed.delete(deliveryId)) this.#wait(delivery);
  }

  recordAttempt(deliveryId: string, attempt: AttemptRecord, after: AfterAttempt): DeliveryRecord | undefined {
    const delivery = this.#deliveries.get(deliveryId);
    if (delivery?.status !== 'pending') return undefined;
    const attempted = { ...withoutDueAt(delivery), attempts: [...delivery.attempts, attempt] };
    const queue = this.#queues.get(delivery.subscriptionId);
    queue?.claimed.delete(deliveryId);
    if (after.status !== 'pending') return this.#end(attempted, after.status);
    // With the subscription deleted during the attempt, nothing waits any more and nothing is retried.
    if (queue === undefined) return this.#end(attempted, 'cancelled');
    const waiting: DeliveryRecord = { ...attempted, body: after.body ?? delivery.body, dueAt: after.dueAt };
    this.add(waiting);
    return waiting;
  }

  /** Gives up whatever waits for the subscription. What is claimed is in flight; its attempt settles it. */
  dropPending(subscriptionId: string): void {
    const waiting = this.#queues.get(subscriptionId)?.waiting;
    for (let next = waiting?.pop(); next !== undefined; next = waiting?.pop()) {
      const delivery = this.#deliveries.get(next.deliveryId);
      if (delivery !== undefined) this.#end(withoutDueAt(delivery), 'cancelled');
    }
    this.#queues.delete(subscriptionId);
  }

  list(): readonly DeliveryRecord[] {
    return [...this.#deliveries.values()];
  }

  #wait(delivery: DeliveryRecord): void {
    const waiting: Waiting = {
      deliveryId: delivery.id,
      dueAt: delivery.dueAt ?? delivery.createdAt,
      order: this.#queued,
    };
    this.#queued += 1;
    this.#queueOf(delivery.subscriptionId).waiting.push(waiting);
  }

  #queueOf(subscriptionId: string): Queue {
    const known = this.#queues.get(subscriptionId);
    if (known !== undefined) return known;
    const created: Queue = {
      waiting: new TinyQueue<Waiting>([], (a, b) => a.dueAt - b.dueAt || a.order - b.order),
      claimed: new Set(),
    };
    this.#queues.set(subscriptionId, created);
    return created;
  }

  #end(delivery: Omit<DeliveryRecord, 'dueAt'>, status: DeliveryStatus): DeliveryRecord {
    const ended: DeliveryRecord = { ...delivery, status };
    this.#deliveries.set(ended.id, ended);
    this.#forgetOld(ended);
    return ended;
  }

  #forgetOld(delivery: DeliveryRecord): void {
    const forgotten = this.#over.add(delivery.id);
    if (forgotten !== undefined) this.#deliveries.delete(forgotten);
  }
}

function withoutDueAt({ dueAt: _, ...delivery }: DeliveryRecord): Omit<DeliveryRecord, 'dueAt'> {
  return delivery;
}
