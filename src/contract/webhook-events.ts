import type { DeliveryFieldKind, KnownWebhookEvent } from './delivery.js';
import type { WebhookEventType } from './webhook-event-type.js';

/** What the package knows of an event type. */
interface WebhookEventFacts<Type extends WebhookEventType> {
  /** What happened, with the section of the service's document. */
  readonly summary: string;
  /** The fields of `data`. A field that the document does not show is optional. */
  readonly dataFields: Readonly<Record<string, DeliveryFieldKind>>;
  /**
   * The field of `data` that is the same in each attempt, and what begins the names of such deliveries in a dedupe store: another word
   * for each type. Without it, the bytes identify a delivery.
   */
  readonly identity?: { readonly field: string; readonly prefix: string };
  /** The name in the command `trigger`. */
  readonly shortName: string;
  /** What a contact writes to cause it. Undefined: any other text. */
  readonly keyword?: string;
  /**
   * Returns the data of a sample delivery.
   *
   * @param id - Unique, for what identifies the delivery.
   */
  sample(id: string, timestamp: string): Extract<KnownWebhookEvent, { event: Type }>['data'];
}

/** The fields of the data of a `message.received` delivery. */
export const messageFields = {
  conversationId: 'string',
  messageId: 'string',
  contactId: 'string',
  phone: 'string',
  type: 'string',
  body: 'string',
  receivedAt: 'string',
} as const;

const consentFields = {
  contactId: 'optional string',
  phone: 'optional string',
  keyword: 'optional string',
  occurredAt: 'optional string',
} as const;

const anyData = 'The shape of its data is not shown; any of these fields may be left out.';

/**
 * The webhook events, as plain data, so that a receiver checks deliveries without a schema library. The verifier, dedupe stores, test
 * deliveries, the OpenAPI document, the reference server, the conformance check and the command line read it.
 */
export const webhookEvents = {
  'message.received': {
    summary: 'A contact sent the workspace a message (§6).',
    dataFields: messageFields,
    identity: { field: 'messageId', prefix: 'message' },
    shortName: 'message',
    sample: (id, timestamp) => ({
      conversationId: 'conversation_1',
      messageId: `message_${id}`,
      contactId: 'contact_1',
      phone: '+15551234567',
      type: 'text',
      body: 'Hello',
      receivedAt: timestamp,
    }),
  },
  'contact.opted_in': {
    summary: `A contact consented to receive messages (§6). ${anyData}`,
    dataFields: consentFields,
    shortName: 'opted-in',
    keyword: 'START',
    sample: (id, timestamp) => sampleConsent(id, 'START', timestamp),
  },
  'contact.opted_out': {
    summary: `A contact withdrew consent (§6). ${anyData}`,
    dataFields: consentFields,
    shortName: 'opted-out',
    keyword: 'STOP',
    sample: (id, timestamp) => sampleConsent(id, 'STOP', timestamp),
  },
} as const satisfies { readonly [Type in WebhookEventType]: WebhookEventFacts<Type> };

function sampleConsent(id: string, keyword: string, occurredAt: string) {
  return { contactId: `contact_${id}`, phone: '+15551234567', keyword, occurredAt };
}

/** Returns what the package knows of an event type. */
export function factsOf<Type extends WebhookEventType>(type: Type): WebhookEventFacts<Type> {
  const facts: { readonly [Each in WebhookEventType]: WebhookEventFacts<Each> } = webhookEvents;
  return facts[type];
}
