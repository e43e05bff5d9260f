import * as z from 'zod/mini';
import type { ConsentData, KnownWebhookEvent } from '../../contract/delivery.js';
import { phoneSchema } from '../../contract/phone.js';
import type { Schema } from '../../contract/schema.js';
import type { ContactRecord } from '../model/records.js';
import type { OutboxEvent } from '../store/store.js';
import type { WorkspaceContext } from './context.js';

/**
 * A message from a contact to the workspace. In production, it comes from the chat provider. On the reference server, a test
 * simulates it.
 */
export interface InboundMessage {
  /** The sender's phone number in E.164 format. An unknown sender becomes a contact. */
  readonly phone: string;
  /** The text. START and STOP, in any case, change the sender's consent. */
  readonly body: string;
  /** The kind of message. Default: `text`. */
  readonly type?: string | undefined;
}

/** The schema of an inbound message, from a program or over HTTP. */
export const inboundMessageSchema: Schema<InboundMessage> = z.strictObject({
  phone: phoneSchema,
  body: z.string(),
  type: z.optional(z.string().check(z.minLength(1))),
});

/** The result of an inbound message. */
export interface InboundMessageResult {
  /** The sender: an existing or a new contact. */
  readonly contactId: string;
  /** The sender's conversation with the workspace. */
  readonly conversationId: string;
  readonly messageId: string;
  /** The new consent, if a keyword in the message changed it. */
  readonly consent?: 'opted_in' | 'opted_out';
}

const keywords: Readonly<Record<string, 'opted_in' | 'opted_out'>> = { START: 'opted_in', STOP: 'opted_out' };

/** Sends the deliveries that a service rule has added to the outbox. */
export interface Deliveries {
  /** Starts all due deliveries of these subscriptions. Returns at once. */
  wake(subscriptionIds: readonly string[]): void;
}

/** Applies the effects of a contact's message: consent, and the webhook events. */
export class InboundMessages {
  readonly #context: WorkspaceContext;
  readonly #deliveries: Deliveries;

  constructor(context: WorkspaceContext, deliveries: Deliveries) {
    this.#context = context;
    this.#deliveries = deliveries;
  }

  async receive(message: InboundMessage): Promise<InboundMessageResult> {
    const { store, environment, record } = this.#context;
    const { phone, body } = message;
    const messageId = environment.newId('message');
    const at = environment.clock.now();
    const keyword = body.trim().toUpperCase();
    const { contact, consentChanged, subscriptionIds } = await store.receiveMessage({
      contact: { newId: environment.newId('contact'), phone, properties: {} },
      consent: Object.hasOwn(keywords, keyword) ? keywords[keyword] : undefined,
      compose: (sender, changed) => [
        this.#outboxEvent(this.#received(sender, messageId, message, at)),
        ...(changed ? [this.#outboxEvent(this.#consentChanged(sender, keyword, at))] : []),
      ],
    });
    const consent = consentChanged ? keywords[keyword] : undefined;
    record({
      type: 'message',
      at,
      messageId,
      contactId: contact.id,
      phone,
      body,
      ...(consent && { consent }),
    });
    this.#deliveries.wake(subscriptionIds);
    return {
      contactId: contact.id,
      conversationId: conversationOf(contact),
      messageId,
      ...(consent && { consent }),
    };
  }

  #received(
    contact: ContactRecord,
    messageId: string,
    { body, type = 'text' }: InboundMessage,
    at: number,
  ): KnownWebhookEvent {
    const receivedAt = new Date(at).toISOString();
    return {
      event: 'message.received',
      workspaceId: this.#context.store.id,
      timestamp: this.#timestamp(),
      data: {
        conversationId: conversationOf(contact),
        messageId,
        contactId: contact.id,
        phone: contact.phone,
        type,
        body,
        receivedAt,
      },
    };
  }

  #consentChanged({ id, phone, consent }: ContactRecord, keyword: string, at: number): KnownWebhookEvent {
    const occurredAt = new Date(at).toISOString();
    return {
      event: consent === 'opted_in' ? 'contact.opted_in' : 'contact.opted_out',
      workspaceId: this.#context.store.id,
      timestamp: this.#timestamp(),
      data: this.#consentData({ contactId: id, phone, keyword, occurredAt }),
    };
  }

  /** Returns the timestamp of a delivery, which receivers use to check its age. */
  #timestamp(): string {
    return new Date(this.#context.environment.deliveryClock.now()).toISOString();
  }

  /** Returns the data of a consent event in the form of `specGaps`, because the service's document does not show its fields. */
  #consentData(full: ConsentData): ConsentData {
    switch (this.#context.gaps.consentEventData) {
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
