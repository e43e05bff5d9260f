import type { WebhookFinding } from '../../webhooks/diagnose/finding.js';
import type { DeliveryStatus } from '../model/records.js';

/**
 * Why a delivery is as it is after its last attempt.
 *
 * - `acknowledged`: the receiver answered with a 2xx.
 * - `not_attempted`: the first attempt is still to come.
 * - `subscription_gone`: the subscription was deleted, which cancelled the delivery.
 * - `fault`: an injected fault did it.
 * - `unreachable`: nothing answered: refused, no such name, no route, TLS, or a proxy without a receiver.
 * - `broken_answer`: the connection broke before the answer was complete.
 * - `timeout`: no complete answer in time.
 * - `address_refused`: the server's `receiverAddresses` does not allow the address.
 * - `redirect`: the receiver answered with a redirect.
 * - `clock`: the delivery's timestamp is too far from the receiver's clock.
 * - `wrong_secret`: the receiver has another secret.
 * - `parsed_body`: the receiver hashed other bytes than those that were sent.
 * - `body_refused`: the receiver could not use the event.
 * - `access_denied`: something before the receiver let the request not through.
 * - `not_found`: nothing takes a POST at this path.
 * - `too_large`, `media_type`: the receiver's limit, or its content types.
 * - `busy`: the receiver takes nothing at the moment.
 * - `receiver_failed`: the receiver failed.
 * - `refused`: another status.
 *
 * @example
 * ```ts
 * import type { DeliveryCauseName } from 'messaging-automation/server';
 *
 * const isConfiguration = (cause: DeliveryCauseName) => cause === 'wrong_secret' || cause === 'parsed_body';
 * ```
 */
export type DeliveryCauseName =
  | 'acknowledged'
  | 'not_attempted'
  | 'subscription_gone'
  | 'fault'
  | 'unreachable'
  | 'broken_answer'
  | 'timeout'
  | 'address_refused'
  | 'redirect'
  | 'clock'
  | 'wrong_secret'
  | 'parsed_body'
  | 'body_refused'
  | 'access_denied'
  | 'not_found'
  | 'too_large'
  | 'media_type'
  | 'busy'
  | 'receiver_failed'
  | 'refused';

/**
 * One possible cause, in words for a person.
 *
 * @example
 * ```ts
 * import type { DeliveryCause } from 'messaging-automation/server';
 *
 * const line = ({ explanation, advice }: DeliveryCause) => `${explanation} ${advice}`;
 * ```
 */
export interface DeliveryCause {
  readonly cause: DeliveryCauseName;
  /** `certain` follows from what is known. `likely` is what usually leads to it. `possible` cannot be ruled out. */
  readonly certainty: 'certain' | 'likely' | 'possible';
  readonly explanation: string;
  /** What to do. */
  readonly advice: string;
}

/**
 * Why a delivery failed, or did not: `server.deliveries.explain(id)`.
 *
 * @example
 * ```ts
 * import type { DeliveryExplanation } from 'messaging-automation/server';
 *
 * const likeliest = ({ causes }: DeliveryExplanation) => causes[0]?.explanation;
 * ```
 */
export interface DeliveryExplanation {
  readonly deliveryId: string;
  readonly status: DeliveryStatus;
  readonly signature: {
    readonly header: string;
    /** The signature of the last attempt. Missing before the first one. */
    readonly sent?: string;
    /** The signature of the exact bytes with the subscription's secret. Missing if the subscription was deleted. */
    readonly computed?: string;
    /** Whether the two are the same. Missing if one of them is. */
    readonly matches?: boolean;
    /** The last four characters of the subscription's secret. */
    readonly secretEnding?: string;
  };
  /** All in milliseconds since the Unix epoch. */
  readonly clocks: {
    /** The `timestamp` of the body. */
    readonly timestamp?: number;
    /** The machine's clock at the last attempt; now, if the attempt does not say. */
    readonly machine: number;
    /** The workspace's clock at the last attempt; now, before the first one. */
    readonly workspace: number;
    /** The receiver's clock, as the `Date` header of its answer tells it. */
    readonly receiver?: number;
  };
  /** The likeliest first. A certain one stands alone. Never empty. */
  readonly causes: readonly DeliveryCause[];
}

/**
 * What the receiver of a delivery has. Give the one that you have, or both.
 *
 * @example
 * ```ts
 * import type { ReceiversSide } from 'messaging-automation/server';
 *
 * const side: ReceiversSide = { secret: 'whsec_example' };
 * ```
 */
export interface ReceiversSide {
  /** The secret that the receiver verifies with, such as the value of WEBHOOK_SECRET. Default: the subscription's. */
  readonly secret?: string | undefined;
  /** The text that the receiver verifies. Default: the bytes that were sent. */
  readonly body?: string | undefined;
}

/**
 * One finding of `server.deliveries.check(id, …)`: one of `diagnoseWebhook`, or `secret_of_another_subscription`. Holds no
 * secret.
 *
 * @example
 * ```ts
 * import type { DeliveryFinding } from 'messaging-automation/server';
 *
 * const line = ({ explanation, advice }: DeliveryFinding) => `${explanation} ${advice}`;
 * ```
 */
export interface DeliveryFinding extends Omit<WebhookFinding, 'fault'> {
  readonly fault: WebhookFinding['fault'] | 'secret_of_another_subscription';
}

/**
 * Whether a delivery verifies with what its receiver has, and if not, why.
 *
 * @example
 * ```ts
 * import type { DeliveryCheck } from 'messaging-automation/server';
 *
 * const isRight = ({ verified }: DeliveryCheck) => verified;
 * ```
 */
export interface DeliveryCheck {
  readonly verified: boolean;
  /** Empty only if it verifies. Either all are proven, or the likeliest comes first. */
  readonly findings: readonly DeliveryFinding[];
}
