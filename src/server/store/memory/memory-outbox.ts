import TinyQueue from 'tinyqueue';
import type { Bytes } from '../../../foundation/bytes.js';
import type { Page, PageRange } from '../../model/page.js';
import type {
  AttemptRecord,
  DeliveryRecord,
  DeliveryStatus,
  SubscriptionRecord,
} from '../../model/records.js';
import type {
  AfterAttempt,
  Claim,
  ClaimedDelivery,
  DeliveryFields,
  OutboxEvent,
  OutboxStore,
  RefusedRedelivery,
} from '../store.js';
import { hasFields, type KeptOptions, type MemoryDefinitions, NumberedRecords } from './kept-records.js';

/** A delivery that waits for an attempt. */
interface Waiting {
  readonly id: string;
  readonly dueAt: number;
  readonly number: number;
}

/** Sorts by due time, then by creation. */
const inOrder = (a: Waiting, b: Waiting) => a.dueAt - b.dueAt || a.number - b.number;

/** One workspace's deliveries in memory: queues of pending ones by subscription, and the finished ones. */
export class MemoryOutbox implements OutboxStore {
  readonly records: NumberedRecords<DeliveryRecord>;
  /** The pending deliveries of each subscription. A deleted subscription has no queue. */
  readonly #queues = new Map<string, TinyQueue<Waiting>>();
  readonly #subscriptions: MemoryDefinitions<SubscriptionRecord>;

  constructor(options: KeptOptions, subscriptions: MemoryDefinitions<SubscriptionRecord>) {
    this.records = new NumberedRecords(
      options,
      ({ body, attempts }) => body.byteLength + JSON.stringify(attempts).length,
      ({ status }) => status !== 'pending',
    );
    this.#subscriptions = subscriptions;
  }

  /** Replaces all deliveries. */
  load(deliveries: readonly DeliveryRecord[]): void {
    this.#queues.clear();
    this.records.load(deliveries);
    for (const delivery of deliveries) this.#enqueue(delivery);
  }

  add(delivery: DeliveryRecord): void {
    this.records.set(delivery);
    this.#enqueue(delivery);
  }

  #enqueue(delivery: DeliveryRecord): void {
    if (delivery.status !== 'pending') return;
    const queue = this.#queues.get(delivery.subscriptionId) ?? new TinyQueue<Waiting>([], inOrder);
    this.#queues.set(delivery.subscriptionId, queue);
    queue.push(this.#waiting(delivery));
  }

  async claimDue(subscriptionId: string, now: number, limit: number): Promise<readonly ClaimedDelivery[]> {
    const subscription = this.#subscriptions.get(subscriptionId);
    if (subscription === undefined) return [];
    const taken = this.#take(subscriptionId, now, limit);
    const abandoned = this.records.expired().filter((delivery) => delivery.subscriptionId === subscriptionId);
    const due = [...taken, ...abandoned]
      .map((delivery) => [this.#waiting(delivery), delivery] as const)
      .sort(([one], [other]) => inOrder(one, other));
    for (const [waiting, delivery] of due.splice(limit)) {
      if (taken.includes(delivery)) this.#queues.get(subscriptionId)?.push(waiting);
    }
    const { secret } = subscription;
    return due.map(([{ id }, delivery]) => ({ claim: this.records.claim(id), delivery, secret }));
  }

  async redeliver(
    deliveryId: string,
    newId: string,
    now: number,
    only?: 'if_failed',
  ): Promise<DeliveryRecord | RefusedRedelivery | undefined> {
    const delivery = this.records.get(deliveryId);
    const subscription = this.#subscriptions.get(delivery?.subscriptionId ?? '');
    if (delivery === undefined || subscription === undefined) return undefined;
    if (only === 'if_failed') {
      if (delivery.status !== 'failed') return 'not_failed';
      if (this.records.all().some(({ redeliveryOf }) => redeliveryOf === deliveryId)) return 'redelivered';
    }
    const { event: type, body } = delivery;
    const fresh = deliveryOf({ type, body, createdAt: now, newDeliveryId: () => newId }, subscription);
    const again: DeliveryRecord = { ...fresh, redeliveryOf: deliveryId };
    this.add(again);
    return again;
  }

  async release(claim: Claim): Promise<void> {
    const delivery = this.records.settle(claim);
    if (delivery === undefined) return;
    const queue = this.#queues.get(delivery.subscriptionId);
    if (queue === undefined) this.#end(delivery, 'cancelled');
    else queue.push(this.#waiting(delivery));
  }

  async recordAttempt(
    claim: Claim,
    attempt: AttemptRecord,
    after: AfterAttempt,
  ): Promise<DeliveryRecord | undefined> {
    const delivery = this.records.settle(claim);
    if (delivery === undefined) return undefined;
    const attempted = { ...delivery, attempts: [...delivery.attempts, attempt] };
    if (after.status !== 'pending') return this.#end(attempted, after.status);
    const queue = this.#queues.get(delivery.subscriptionId);
    // The subscription was deleted during the attempt, so the delivery is not retried.
    if (queue === undefined) return this.#end(attempted, 'cancelled');
    const waiting: DeliveryRecord = { ...attempted, dueAt: after.dueAt };
    this.records.set(waiting);
    queue.push(this.#waiting(waiting));
    return waiting;
  }

  /** Cancels the unclaimed deliveries to the subscription. The running attempts settle the claimed ones. */
  dropPending(subscriptionId: string): void {
    const queue = this.#queues.get(subscriptionId);
    for (let next = queue?.pop(); next !== undefined; next = queue?.pop()) {
      const delivery = this.records.get(next.id);
      if (delivery !== undefined) this.#end(delivery, 'cancelled');
    }
    this.#queues.delete(subscriptionId);
  }

  async find(deliveryId: string): Promise<DeliveryRecord | undefined> {
    return this.records.get(deliveryId);
  }

  async page(
    { contactId, phone, ...fields }: DeliveryFields,
    range: PageRange,
  ): Promise<Page<DeliveryRecord>> {
    const isAboutContact =
      contactId === undefined && phone === undefined
        ? () => true
        : ({ body }: DeliveryRecord) => hasFields(dataIn(body), { contactId, phone });
    return this.records.page((delivery) => hasFields(delivery, fields) && isAboutContact(delivery), range);
  }

  /** Returns all deliveries as if every claim were released. */
  allReleased(): readonly DeliveryRecord[] {
    return this.records
      .all()
      .map((delivery) =>
        delivery.status === 'pending' && !this.#queues.has(delivery.subscriptionId)
          ? ended(delivery, 'cancelled')
          : delivery,
      );
  }

  /** Takes up to `limit` due deliveries from the subscription's queue. */
  #take(subscriptionId: string, now: number, limit: number): readonly DeliveryRecord[] {
    const queue = this.#queues.get(subscriptionId);
    const taken: DeliveryRecord[] = [];
    while (taken.length < limit && (queue?.peek()?.dueAt ?? Number.POSITIVE_INFINITY) <= now) {
      const delivery = this.records.get(queue?.pop()?.id ?? '');
      if (delivery !== undefined) taken.push(delivery);
    }
    return taken;
  }

  #waiting({ id, dueAt, createdAt }: DeliveryRecord): Waiting {
    return { id, dueAt: dueAt ?? createdAt, number: this.records.numberOf(id) };
  }

  #end(delivery: DeliveryRecord, status: DeliveryStatus): DeliveryRecord {
    const over = ended(delivery, status);
    this.records.set(over);
    return over;
  }
}

/** Creates a delivery of the event to a subscription. */
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

/** Returns the data of the event that a delivery carries. Empty if the body is not JSON, which a snapshot can bring. */
function dataIn(body: Bytes): object {
  try {
    const event: unknown = JSON.parse(new TextDecoder().decode(body));
    return Object(Reflect.get(Object(event), 'data'));
  } catch {
    return {};
  }
}
