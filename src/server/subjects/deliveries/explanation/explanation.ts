import * as z from 'zod/mini';
import type { Schema } from '../../../../contract/schema.js';
import type { WebhookFinding } from '../../../../webhooks/diagnose/finding.js';
import { type DeliveryStatus, deliveryStatuses } from '../../../model/records.js';
import { type Remedy, remedySchema } from '../../../model/remedy.js';
import type * as Shapes from '../../shapes.js';

/**
 * The cause of a delivery's status after its last attempt.
 *
 * - `acknowledged`: the receiver responded with a 2xx status.
 * - `not_attempted`: the first attempt has not happened yet.
 * - `subscription_gone`: the subscription was deleted, so the delivery was cancelled.
 * - `fault`: an injected fault caused it.
 * - `unreachable`: no response: connection refused, unknown host, no route, TLS failure, or a proxy without a receiver.
 * - `response_interrupted`: the connection broke before the response was complete.
 * - `timeout`: no complete response before the timeout.
 * - `address_refused`: the server's `receiverAddresses` does not allow the address.
 * - `redirect`: the receiver responded with a redirect.
 * - `clock`: the delivery's timestamp is too far from the receiver's clock.
 * - `wrong_secret`: the receiver verifies with another secret.
 * - `parsed_body`: the receiver verified other bytes than those that were sent.
 * - `body_refused`: the receiver rejected the content of the event.
 * - `access_denied`: a proxy or access check before the receiver rejected the request.
 * - `not_found`: no handler accepts a POST at this path.
 * - `too_large`, `media_type`: the receiver rejected the size or the content type.
 * - `busy`: the receiver does not accept requests at the moment.
 * - `receiver_failed`: the receiver had an internal error.
 * - `refused`: the receiver responded with another status.
 */
export type DeliveryCauseName =
  | 'acknowledged'
  | 'not_attempted'
  | 'subscription_gone'
  | 'fault'
  | 'unreachable'
  | 'response_interrupted'
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

/** One possible cause of a delivery's status, with an explanation and advice for a person. */
export type DeliveryCause = {
  readonly cause: DeliveryCauseName;
  /** `certain`: the evidence proves it. `likely`: the usual cause. `possible`: not excluded by the evidence. */
  readonly certainty: 'certain' | 'likely' | 'possible';
  readonly explanation: string;
  /** What to do. */
  readonly advice: string;
};

/** The explanation of a delivery's status. `server.deliveries.explain(id)` returns it. */
export interface DeliveryExplanation {
  readonly deliveryId: string;
  readonly status: DeliveryStatus;
  readonly signature: {
    readonly header: string;
    /** The signature of the last attempt. Missing before the first one. */
    readonly sent?: string;
    /** The expected signature: of the exact bytes, with the subscription's secret. Missing if the subscription was deleted. */
    readonly computed?: string;
    /** Whether `sent` equals `computed`. Missing if either is missing. */
    readonly matches?: boolean;
    /** The last four characters of the subscription's secret. */
    readonly secretEnding?: string;
  };
  /** All in milliseconds since the Unix epoch. */
  readonly clocks: {
    /** The `timestamp` of the body. */
    readonly timestamp?: number;
    /** The machine's clock at the last attempt. The current time if the attempt has no `machineTime`. */
    readonly machine: number;
    /** The workspace's clock at the last attempt. The current time before the first attempt. */
    readonly workspace: number;
    /** The receiver's clock, from the `Date` header of its response. */
    readonly receiver?: number;
  };
  /** The possible causes, the most likely first. A certain cause is the only one. Never empty. */
  readonly causes: readonly DeliveryCause[];
  /** What ends the failure and tries again, if the reason is in the workspace: a fault, or the built-in receiver. */
  readonly remedy?: Remedy;
}

/** The secret and the body that the receiver of a delivery verifies. At least one is required. */
export type ReceiversSide = {
  /** The receiver's secret, such as the value of WEBHOOK_SECRET. Default: the subscription's secret. */
  readonly secret?: string | undefined;
  /** The text that the receiver verifies. Default: the sent body. */
  readonly body?: string | undefined;
};

/**
 * One finding of `server.deliveries.check(id, …)`: a finding of `diagnoseWebhook`, or `secret_of_another_subscription`. It
 * contains no secret.
 */
export type DeliveryFinding = Omit<WebhookFinding, 'fault'> & {
  readonly fault: WebhookFinding['fault'] | 'secret_of_another_subscription';
};

/** Whether the signature of a delivery is valid for the receiver's secret and body, and if not, why. */
export type DeliveryCheck = {
  readonly verified: boolean;
  /** Empty if `verified` is true. Either all findings are proven, or the most likely comes first. */
  readonly findings: readonly DeliveryFinding[];
};

/** The schemas of an explanation over HTTP. */
export function explanationShapes({ text }: typeof Shapes): {
  readonly explanation: Schema<DeliveryExplanation>;
  readonly side: Schema<ReceiversSide>;
  readonly check: Schema<DeliveryCheck>;
} {
  const time = z.number();
  return {
    explanation: z.strictObject({
      deliveryId: text,
      status: z.enum(deliveryStatuses),
      signature: z.strictObject({
        header: text,
        sent: z.exactOptional(text),
        computed: z.exactOptional(text),
        matches: z.exactOptional(z.boolean()),
        secretEnding: z.exactOptional(text),
      }),
      clocks: z.strictObject({
        timestamp: z.exactOptional(time),
        machine: time,
        workspace: time,
        receiver: z.exactOptional(time),
      }),
      causes: z.array(
        z.strictObject({
          cause: z.enum(causeNames),
          certainty: z.enum(['certain', 'likely', 'possible']),
          explanation: text,
          advice: text,
        }),
      ),
      remedy: z.exactOptional(remedySchema),
    }),
    side: z.strictObject({ secret: z.optional(text), body: z.optional(text) }),
    check: z.strictObject({
      verified: z.boolean(),
      findings: z.array(
        z.strictObject({
          fault: faultOfDelivery,
          proven: z.boolean(),
          explanation: text,
          advice: text,
        }),
      ),
    }),
  };
}

/** The name of what is wrong with a delivery. A newer receiver may know more of them. */
export const faultOfDelivery = z.custom<DeliveryCheck['findings'][number]['fault']>(
  (value) => typeof value === 'string',
  'must be a string',
);

const causeNames: readonly DeliveryCauseName[] = [
  'acknowledged',
  'not_attempted',
  'subscription_gone',
  'fault',
  'unreachable',
  'response_interrupted',
  'timeout',
  'address_refused',
  'redirect',
  'clock',
  'wrong_secret',
  'parsed_body',
  'body_refused',
  'access_denied',
  'not_found',
  'too_large',
  'media_type',
  'busy',
  'receiver_failed',
  'refused',
];
