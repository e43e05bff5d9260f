export { type WebhookEventType, webhookEventTypes } from './webhook-event-type.js';

/**
 * The header that contains a delivery's signature.
 *
 * @example
 * ```ts
 * import { signatureHeader, signWebhook } from 'messaging-automation/webhooks';
 *
 * const body = '{"event":"message.received"}';
 * const headers = { [signatureHeader]: signWebhook(body, 'whsec_example') };
 * ```
 */
export const signatureHeader = 'X-Service-Signature';

/** A receiver must respond with a 2xx within this time, in milliseconds. */
export const deliveryTimeout = 5_000;

/** How often the service retries a failed delivery. */
export const deliveryRetries = 2;

/** The fields of every delivery, whatever its type. */
interface DeliveryEnvelope {
  /** The workspace the event happened in. */
  readonly workspaceId: string;
  /** When it happened: ISO 8601, UTC, with milliseconds. */
  readonly timestamp: string;
  /** Any other field that the service sends. */
  readonly [field: string]: unknown;
}

/** The data of a `message.received` delivery. */
export interface MessageReceivedData {
  /** The conversation's id. */
  readonly conversationId: string;
  /** The chat provider's id of the message. */
  readonly messageId: string;
  /** The contact who wrote. */
  readonly contactId: string;
  /** The sender's phone number in E.164 format. */
  readonly phone: string;
  /** The kind of message, for example `text`. */
  readonly type: 'text' | (string & {});
  /** The message's text. */
  readonly body: string;
  /** When it was received: ISO 8601, UTC, with milliseconds. */
  readonly receivedAt: string;
  /** Any other field that the service sends. */
  readonly [field: string]: unknown;
}

/**
 * The data of a `contact.opted_in` or `contact.opted_out` delivery. The service does not document it. The reference
 * server sends the fields below; another deployment may omit any of them. If a field exists and is not a string,
 * `onDrift` reports it.
 */
export interface ConsentData {
  /** The contact. The service does not document this field. */
  readonly contactId?: string | undefined;
  /** The contact's phone number in E.164 format. The service does not document this field. */
  readonly phone?: string | undefined;
  /** What the contact wrote, for example `STOP`. The service does not document this field. */
  readonly keyword?: string | undefined;
  /** When it happened: ISO 8601, UTC, with milliseconds. The service does not document this field. */
  readonly occurredAt?: string | undefined;
  /** Any other field that the service sends. */
  readonly [field: string]: unknown;
}

/** A contact sent a message to the workspace. */
export interface MessageReceivedEvent extends DeliveryEnvelope {
  readonly event: 'message.received';
  readonly data: MessageReceivedData;
}

/** A contact consented to receive messages, for example by sending a start keyword. */
export interface ContactOptedInEvent extends DeliveryEnvelope {
  readonly event: 'contact.opted_in';
  readonly data: ConsentData;
}

/** A contact withdrew consent, for example by sending a stop keyword. */
export interface ContactOptedOutEvent extends DeliveryEnvelope {
  readonly event: 'contact.opted_out';
  readonly data: ConsentData;
}

/**
 * The name of an event type that this package does not know. At run time, it is the string that the service sent.
 *
 * For the compiler, it is an enum and not `string`, because `string` includes the known names: in a `switch` over `event`,
 * each case would be either the known event or an unknown one. The enum is different from the known names, and assignable
 * to `string`. Assign it to a `string` to compare it with a name that is newer than this package.
 *
 * @example
 * ```ts
 * import type { UnknownWebhookEventType } from 'messaging-automation/webhooks';
 *
 * function isNewer(type: UnknownWebhookEventType): boolean {
 *   const name: string = type;
 *   return name === 'contact.tagged';
 * }
 * ```
 */
export declare enum UnknownWebhookEventType {
  /** Does not exist at run time. */
  AnyOther = 'any name but the known ones',
}

/** A delivery of a type that this package does not know. A newer service may send one. Acknowledge it. */
export interface UnknownWebhookEvent extends DeliveryEnvelope {
  readonly event: UnknownWebhookEventType;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * The body of a delivery. `event` is its type, and narrows the type of `data`.
 *
 * @example
 * ```ts
 * import type { WebhookEvent } from 'messaging-automation/webhooks';
 *
 * function describe(event: WebhookEvent): string {
 *   switch (event.event) {
 *     case 'message.received':
 *       return event.data.body;
 *     case 'contact.opted_in':
 *     case 'contact.opted_out':
 *       return event.event;
 *     default:
 *       return `not known here: ${event.event}`;
 *   }
 * }
 * ```
 */
export type WebhookEvent =
  | MessageReceivedEvent
  | ContactOptedInEvent
  | ContactOptedOutEvent
  | UnknownWebhookEvent;

/** A delivery whose event type this package knows. */
export type KnownWebhookEvent = Exclude<WebhookEvent, UnknownWebhookEvent>;

/** The kind of a field in a delivery. */
export type DeliveryFieldKind = 'string' | 'optional string' | 'timestamp' | 'object';

/**
 * The fields of every delivery. `webhook-events.ts` has those of `data`.
 */
export const deliveryFields = {
  event: 'string',
  workspaceId: 'string',
  timestamp: 'timestamp',
  data: 'object',
} as const satisfies Readonly<Record<string, DeliveryFieldKind>>;
