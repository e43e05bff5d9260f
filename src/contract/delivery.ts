import type { WebhookEventType } from './webhook-event-type.js';

export { type WebhookEventType, webhookEventTypes } from './webhook-event-type.js';

/**
 * The header that carries a delivery's signature (document §6).
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

/** §6 and §8: a receiver has five seconds to answer with a 2xx. In milliseconds. */
export const deliveryTimeout = 5_000;

/** §8: how often a failed delivery is retried. */
export const deliveryRetries = 2;

/** What every delivery holds (document §6), of each type. */
interface DeliveryEnvelope {
  /** The workspace the event happened in. */
  readonly workspaceId: string;
  /** When it happened: ISO 8601, UTC, with milliseconds. */
  readonly timestamp: string;
  /** Whatever else the service sends. */
  readonly [field: string]: unknown;
}

/**
 * The data of a `message.received` delivery (document §6).
 *
 * @example
 * ```ts
 * import type { MessageReceivedData } from 'messaging-automation/webhooks';
 *
 * const preview = (data: MessageReceivedData) => `${data.contactId}: ${data.body.slice(0, 40)}`;
 * ```
 */
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
  /** Whatever else the service sends. */
  readonly [field: string]: unknown;
}

/**
 * The data of a `contact.opted_in` or `contact.opted_out` delivery. The document does not show it. The reference server
 * sends the fields that are named here; another deployment may leave any of them out. A field that is there and is no
 * string is drift: `onDrift` reports it.
 *
 * @example
 * ```ts
 * import type { ConsentData } from 'messaging-automation/webhooks';
 *
 * const who = (data: ConsentData): string => data.contactId ?? data.phone ?? 'a contact who is not named';
 * ```
 */
export interface ConsentData {
  /** The contact. Not shown in the document. */
  readonly contactId?: string | undefined;
  /** The contact's phone number in E.164 format. Not shown in the document. */
  readonly phone?: string | undefined;
  /** What the contact wrote, for example `STOP`. Not shown in the document. */
  readonly keyword?: string | undefined;
  /** When it happened: ISO 8601, UTC, with milliseconds. Not shown in the document. */
  readonly occurredAt?: string | undefined;
  /** Whatever the service sends. */
  readonly [field: string]: unknown;
}

/**
 * A contact sent the workspace a message (document §6).
 *
 * @example
 * ```ts
 * import type { MessageReceivedEvent } from 'messaging-automation/webhooks';
 *
 * const textOf = (event: MessageReceivedEvent) => event.data.body;
 * ```
 */
export interface MessageReceivedEvent extends DeliveryEnvelope {
  readonly event: 'message.received';
  readonly data: MessageReceivedData;
}

/**
 * A contact consented to receive messages, for example by sending a start keyword (document §6).
 *
 * @example
 * ```ts
 * import type { ContactOptedInEvent } from 'messaging-automation/webhooks';
 *
 * const when = (event: ContactOptedInEvent) => new Date(event.timestamp);
 * ```
 */
export interface ContactOptedInEvent extends DeliveryEnvelope {
  readonly event: 'contact.opted_in';
  readonly data: ConsentData;
}

/**
 * A contact withdrew consent, for example by sending a stop keyword (document §6).
 *
 * @example
 * ```ts
 * import type { ContactOptedOutEvent } from 'messaging-automation/webhooks';
 *
 * const when = (event: ContactOptedOutEvent) => new Date(event.timestamp);
 * ```
 */
export interface ContactOptedOutEvent extends DeliveryEnvelope {
  readonly event: 'contact.opted_out';
  readonly data: ConsentData;
}

/** Not exported, because there is no such object at run time. */
declare enum UnknownType {
  AnyOther = 'any name but the known ones',
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
export type UnknownWebhookEventType = UnknownType.AnyOther;

/**
 * A delivery of a type that this package does not know. A newer service may send one. Acknowledge it.
 *
 * @example
 * ```ts
 * import type { UnknownWebhookEvent } from 'messaging-automation/webhooks';
 *
 * const describe = (event: UnknownWebhookEvent) => `ignored ${event.event}`;
 * ```
 */
export interface UnknownWebhookEvent extends DeliveryEnvelope {
  readonly event: UnknownWebhookEventType;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * A delivery's body, by its event type (document §6).
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

/**
 * A delivery whose type this package knows (document §6).
 *
 * @example
 * ```ts
 * import type { KnownWebhookEvent } from 'messaging-automation/webhooks';
 *
 * const isConsent = (event: KnownWebhookEvent) => event.event !== 'message.received';
 * ```
 */
export type KnownWebhookEvent = Exclude<WebhookEvent, UnknownWebhookEvent>;

/** The kind of a delivery's field. */
export type DeliveryFieldKind = 'string' | 'optional string' | 'timestamp' | 'object';

/**
 * §6: the fields of every delivery. This table and the one below are plain data, so that the verifier can check a delivery
 * without a schema library. `delivery-schemas.ts` makes schemas of both.
 */
export const deliveryFields = {
  event: 'string',
  workspaceId: 'string',
  timestamp: 'timestamp',
  data: 'object',
} as const satisfies Readonly<Record<string, DeliveryFieldKind>>;

/** The document shows none of these fields. They are the default of the ledger, and each is optional. */
const consentDataFields = {
  contactId: 'optional string',
  phone: 'optional string',
  keyword: 'optional string',
  occurredAt: 'optional string',
} as const;

/** §6: the fields of `data`, by event type. */
export const deliveryDataFields = {
  'message.received': {
    conversationId: 'string',
    messageId: 'string',
    contactId: 'string',
    phone: 'string',
    type: 'string',
    body: 'string',
    receivedAt: 'string',
  },
  'contact.opted_in': consentDataFields,
  'contact.opted_out': consentDataFields,
} as const satisfies Readonly<Record<WebhookEventType, Readonly<Record<string, DeliveryFieldKind>>>>;
