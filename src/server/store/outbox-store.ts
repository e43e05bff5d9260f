import type { WebhookEventType } from '../../contract/delivery.js';
import type { Bytes } from '../../foundation/bytes.js';
import type { AttemptRecord, DeliveryRecord } from '../model/records.js';
import type { Claim } from './claim.js';

/** The webhook deliveries of a workspace: those that wait for an attempt, and those that are over. */
export interface OutboxStore {
  /** Claims up to `limit` deliveries to the subscription that are due and that nobody holds, oldest first. */
  claimDue(subscriptionId: string, now: number, limit: number): Promise<readonly ClaimedDelivery[]>;
  /**
   * Adds an attempt to a claimed delivery and ends the claim. Undefined where the claim is not the latest: the attempt
   * counts for nothing.
   */
  recordAttempt(
    claim: Claim,
    attempt: AttemptRecord,
    after: AfterAttempt,
  ): Promise<DeliveryRecord | undefined>;
  /**
   * Ends a claim without an attempt. The delivery is due as it was, or cancelled where its subscription is deleted.
   * Does nothing where the claim is not the latest.
   */
  release(claim: Claim): Promise<void>;
  /** Adds the same bytes for the same subscription again. Undefined where either is gone. */
  redeliver(deliveryId: string, newId: string, now: number): Promise<DeliveryRecord | undefined>;
  /** Oldest first. A store may forget the oldest of those that are over. */
  list(): Promise<readonly DeliveryRecord[]>;
}

/** A delivery to attempt now, with what that needs. */
export interface ClaimedDelivery {
  readonly claim: Claim;
  readonly delivery: DeliveryRecord;
  readonly secret: string;
}

/** A webhook event on its way into the outbox. */
export interface OutboxEvent {
  readonly type: WebhookEventType;
  /** The exact bytes to sign and send. */
  readonly body: Bytes;
  readonly createdAt: number;
  /** Names the delivery to each subscription. */
  readonly newDeliveryId: () => string;
}

/** How a delivery stands after an attempt. */
export type AfterAttempt =
  | { readonly status: 'delivered' | 'failed' }
  | {
      readonly status: 'pending';
      readonly dueAt: number;
      /** The bytes of the next attempt, where they differ from those of the first. */
      readonly body?: Bytes;
    };
