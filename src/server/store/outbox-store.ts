import type { WebhookEventType } from '../../contract/delivery.js';
import type { Bytes } from '../../foundation/bytes.js';
import type { AttemptRecord, DeliveryRecord } from '../model/records.js';
import type { Claim } from './claim.js';
import type { EffectsOf } from './effects.js';

/**
 * The webhook deliveries of a workspace: those that are pending, and those that are over. `WorkspaceStore` adds them as
 * it receives messages, and cancels those of a subscription that it deletes.
 */
export interface OutboxStore {
  /**
   * Claims up to `limit` pending deliveries to the subscription that are due by `now` and on which no lease runs: in
   * the order in which they are due, and those of one time in the order in which they came. Nothing where the
   * subscription is deleted.
   */
  claimDue(subscriptionId: string, now: number, limit: number): Promise<readonly ClaimedDelivery[]>;
  /**
   * Adds an attempt to the claimed delivery, has it stand as `after` says, and ends the claim. One that would be
   * retried is cancelled where its subscription is deleted. Undefined where the claim is not the latest, or has ended:
   * then nothing changes.
   */
  recordAttempt(
    claim: Claim,
    attempt: AttemptRecord,
    after: AfterAttempt,
  ): Promise<DeliveryRecord | undefined>;
  /**
   * Ends the claim without an attempt. The delivery is due as it was before, or cancelled where its subscription is
   * deleted. Does nothing where the claim is not the latest, or has ended.
   */
  release(claim: Claim): Promise<void>;
  /**
   * Adds another delivery of the same bytes to the same subscription, due `now`, with no attempts. Undefined where the
   * delivery or the subscription is gone.
   */
  redeliver(deliveryId: string, newId: string, now: number): Promise<DeliveryRecord | undefined>;
  /** In the order in which they came. A store may forget the oldest of those that are over. */
  list(): Promise<readonly DeliveryRecord[]>;
}

export const outboxEffects: EffectsOf<OutboxStore> = {
  claimDue: 'reads',
  recordAttempt: 'writes',
  release: 'reads',
  redeliver: 'writes',
  list: 'reads',
};

/** A delivery to attempt now, with what that needs. */
export interface ClaimedDelivery {
  readonly claim: Claim;
  readonly delivery: DeliveryRecord;
  readonly secret: string;
}

/** A webhook event on its way into the outbox. */
export interface OutboxEvent {
  readonly type: WebhookEventType;
  /** The bytes to sign and send, exactly. */
  readonly body: Bytes;
  /** When the event happened. Its deliveries are due at once. */
  readonly createdAt: number;
  /** Gives an id to the delivery to each subscription. */
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
