import * as z from 'zod/mini';
import type { Schema } from './schema.js';
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

/** What every delivery holds (document §6), whatever its type. */
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
 * The data of a `contact.opted_in` or `contact.opted_out` delivery. The document does not show it; the fields
 * named here are those of the reference server, typed `unknown` because another deployment may send
 * something else.
 *
 * @example
 * ```ts
 * import type { ConsentData } from 'messaging-automation/webhooks';
 *
 * const who = (data: ConsentData) => (typeof data.contactId === 'string' ? data.contactId : undefined);
 * ```
 */
export interface ConsentData {
  /** Not shown in the document. */
  readonly contactId?: unknown;
  /** Not shown in the document. */
  readonly phone?: unknown;
  /** Not shown in the document. */
  readonly keyword?: unknown;
  /** Not shown in the document. */
  readonly occurredAt?: unknown;
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

/** Only a unit type, as an enum's member is, lets the compiler tell a union's members apart; a branded string does not. */
declare enum UnknownType {
  name = 'any type that this package does not know',
}

/**
 * The name of an event type that this package does not know. It is a string at run time, whichever the service
 * sent; its type keeps it apart from the known names, so that a `switch` over `event` narrows.
 *
 * @example
 * ```ts
 * import type { UnknownWebhookEventType } from 'messaging-automation/webhooks';
 *
 * const nameOf = (type: UnknownWebhookEventType): string => type;
 * ```
 */
export type UnknownWebhookEventType = UnknownType.name;

/**
 * A delivery of a type that this package does not know: a newer service may send one, and it is to be
 * acknowledged.
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

const envelopeFields = {
  workspaceId: z.string(),
  timestamp: z.iso.datetime({ error: 'must be an ISO 8601 UTC timestamp' }),
};

const consentData: Schema<ConsentData> = z.record(z.string(), z.unknown());

/** §6: the body of each known delivery, by its event type. */
export const deliverySchemas: {
  readonly [Type in WebhookEventType]: Schema<KnownWebhookEvent & { event: Type }>;
} = {
  'message.received': z.looseObject({
    event: z.literal('message.received'),
    ...envelopeFields,
    data: z.looseObject({
      conversationId: z.string(),
      messageId: z.string(),
      contactId: z.string(),
      phone: z.string(),
      type: z.string(),
      body: z.string(),
      receivedAt: z.string(),
    }),
  }),
  'contact.opted_in': z.looseObject({
    event: z.literal('contact.opted_in'),
    ...envelopeFields,
    data: consentData,
  }),
  'contact.opted_out': z.looseObject({
    event: z.literal('contact.opted_out'),
    ...envelopeFields,
    data: consentData,
  }),
};

/** The body of a delivery whose type is not among the known ones: §6's fields, and any object as its data. */
export const unknownDeliverySchema: Schema<UnknownWebhookEvent> = z.looseObject({
  event: z.custom<UnknownWebhookEventType>((value) => typeof value === 'string', 'must be a string'),
  ...envelopeFields,
  data: z.record(z.string(), z.unknown()),
});
