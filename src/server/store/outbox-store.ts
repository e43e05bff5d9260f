import type { WebhookEventType } from '../../contract/delivery.js';
import type { Bytes } from '../../foundation/bytes.js';
import type { Fields, Page, PageRange } from '../model/page.js';
import type { AttemptRecord, DeliveryRecord } from '../model/records.js';
import type { Claim } from './claim.js';

/**
 * The webhook deliveries of a workspace, pending and finished. `receiveMessage` of `WorkspaceStore` adds deliveries, and
 * `deleteSubscription` cancels those of its subscription.
 */
export interface OutboxStore {
  /**
   * Claims up to `limit` pending deliveries to the subscription that are due at `now` and have no running lease. Orders
   * them by due time, and those of the same time by their creation. Claims nothing if the subscription was deleted.
   */
  claimDue(subscriptionId: string, now: number, limit: number): Promise<readonly ClaimedDelivery[]>;
  /**
   * Adds an attempt to the claimed delivery, sets the status in `after`, and ends the claim. If the subscription was deleted, a
   * delivery to retry is cancelled instead. Returns undefined and changes nothing if the claim is not the latest or has ended.
   */
  recordAttempt(
    claim: Claim,
    attempt: AttemptRecord,
    after: AfterAttempt,
  ): Promise<DeliveryRecord | undefined>;
  /**
   * Ends the claim without an attempt. The delivery is due as before, or cancelled if its subscription was deleted. Does
   * nothing if the claim is not the latest or has ended.
   */
  release(claim: Claim): Promise<void>;
  /**
   * Adds another delivery of the same bytes to the same subscription, due at `now`, without attempts, and with the first
   * one's id in `redeliveryOf`. Undefined if the delivery or the subscription does not exist.
   */
  redeliver(deliveryId: string, newId: string, now: number): Promise<DeliveryRecord | undefined>;
  find(deliveryId: string): Promise<DeliveryRecord | undefined>;
  /** Returns a page of the deliveries with these values, in the order of their creation. A store may drop the oldest finished ones. */
  page(fields: DeliveryFields, range: PageRange): Promise<Page<DeliveryRecord>>;
}

export interface DeliveryFields extends Fields<DeliveryRecord, 'event' | 'status' | 'subscriptionId'> {
  /** The contact in the data of the event. */
  readonly contactId?: string | undefined;
  readonly phone?: string | undefined;
}

/** A delivery to attempt now, and the secret that signs it. */
export interface ClaimedDelivery {
  readonly claim: Claim;
  readonly delivery: DeliveryRecord;
  readonly secret: string;
}

/** A webhook event to add to the outbox. */
export interface OutboxEvent {
  readonly type: WebhookEventType;
  /** The exact bytes to sign and send. */
  readonly body: Bytes;
  /** When the event happened, in milliseconds since the Unix epoch. Its deliveries are due at once. */
  readonly createdAt: number;
  /** Creates the id of each delivery. */
  readonly newDeliveryId: () => string;
}

/** The status of a delivery after an attempt. */
export type AfterAttempt =
  | { readonly status: 'delivered' | 'failed' }
  | {
      readonly status: 'pending';
      readonly dueAt: number;
      /** The bytes of the next attempt, if they differ from those of the first. */
      readonly body?: Bytes;
    };
