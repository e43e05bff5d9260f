import * as z from 'zod/mini';
import type { ConsentData, KnownWebhookEvent } from '../../contract/delivery.js';
import { phoneSchema } from '../../contract/phone.js';
import type { Schema } from '../../contract/schema.js';
import { webhookEvents } from '../../contract/webhook-events.js';
import type { ContactRecord } from '../model/records.js';
import type { OutboxEvent } from '../store/store.js';
import type { WorkspaceContext } from './context.js';

/**
 * A message from a contact to the workspace. In production, it comes from the chat provider. On the reference server, a test
 * simulates it.
 */
export type InboundMessage = {
  /** The sender's phone number in E.164 format. An unknown sender becomes a contact. */
  readonly phone: string;
  /** The text. START and STOP, in any case, change the sender's consent. */
  readonly body: string;
  /** The kind of message. Default: `text`. */
  readonly type?: string | undefined;
};

/** The schema of an inbound message, from a program or over HTTP. */
export const inboundMessageSchema: Schema<InboundMessage> = z.strictObject({
  phone: phoneSchema,
  body: z.string(),
  type: z.optional(z.string().check(z.minLength(1))),
});

/** The result of an inbound message. */
export type InboundMessageResult = {
  /** The sender: an existing or a new contact. */
  readonly contactId: string;
  /** The sender's conversation with the workspace. */
  readonly conversationId: string;
  readonly messageId: string;
  /** The new consent, if a keyword in the message changed it. */
  readonly consent?: 'opted_in' | 'opted_out';
};

const keywords: Readonly<Record<string, 'opted_in' | 'opted_out'>> = {
  [webhookEvents['contact.opted_in'].keyword]: 'opted_in',
  [webhookEvents['contact.opted_out'].keyword]: 'opted_out',
};

/**
 * Applies the effects of a contact's message: consent, and the webhook events.
 */
export class InboundMessageRules {
  readonly #context: WorkspaceContext;
  readonly #wake: (subscriptionIds: readonly string[]) => void;

  /** @param wake - Starts all due deliveries of these subscriptions. Returns at once. */
  constructor(context: WorkspaceContext, wake: (subscriptionIds: readonly string[]) => void) {
    this.#context = context;
    this.#wake = wake;
  }

  async receive(message: InboundMessage): Promise<InboundMessageResult> {
    const { phone, body, type = 'text' } = message;
    const { environment, record, store } = this.#context;
    const messageId = environment.newId('message');
    const at = environment.clock.now();
    const time = new Date(at).toISOString();
    const keyword = body.trim().toUpperCase();
    const { contact, consentChanged, subscriptionIds } = await store.receiveMessage({
      contact: { newId: environment.newId('contact'), phone, properties: {} },
      consent: Object.hasOwn(keywords, keyword) ? keywords[keyword] : undefined,
      compose: (sender, changed) => {
        const { id: contactId, consent } = sender;
        const ids = { conversationId: conversationOf(sender), messageId, contactId };
        const received = { ...ids, phone, type, body, receivedAt: time };
        const consentEvent = consent === 'opted_in' ? 'contact.opted_in' : 'contact.opted_out';
        const given = this.#consentData({ contactId, phone, keyword, occurredAt: time });
        return [
          this.#outboxEvent({ event: 'message.received', ...this.#envelope(), data: received }),
          ...(changed ? [this.#outboxEvent({ event: consentEvent, ...this.#envelope(), data: given })] : []),
        ];
      },
    });
    const consent = consentChanged ? keywords[keyword] : undefined;
    const result = { contactId: contact.id, messageId, ...(consent && { consent }) };
    record({ type: 'message', at, phone, body, ...result });
    this.#wake(subscriptionIds);
    return { conversationId: conversationOf(contact), ...result };
  }

  /** What each event has. Receivers check its age by the timestamp. */
  #envelope() {
    const { environment, store } = this.#context;
    return { workspaceId: store.id, timestamp: new Date(environment.deliveryClock.now()).toISOString() };
  }

  /** Returns the data of a consent event in the form of `specGaps`, because the service's document does not show its fields. */
  #consentData(full: ConsentData): ConsentData {
    switch (this.#context.gaps().consentEventData) {
      case 'full':
        return full;
      case 'id':
        return { contactId: full.contactId };
      case 'empty':
        return {};
    }
  }

  #outboxEvent(event: KnownWebhookEvent): OutboxEvent {
    const { clock, newId } = this.#context.environment;
    return {
      type: event.event,
      body: new TextEncoder().encode(JSON.stringify(event)),
      createdAt: clock.now(),
      newDeliveryId: () => newId('delivery'),
    };
  }
}

/** Returns the id of the conversation. A contact has one conversation, so the id is derived from the contact's id. */
function conversationOf({ id }: ContactRecord): string {
  return `conversation_${id.replace(/^contact_/, '')}`;
}
