import type { KnownWebhookEvent } from '../../contract/delivery.js';
import type { Dispatcher } from '../deliveries/dispatcher.js';
import type { Environment } from '../environment.js';
import type { Consent } from '../store/records.js';
import type { OutboxEvent, WorkspaceStore } from '../store/store.js';
import type { InboundMessage } from './inbound-message.js';

/**
 * What became of an inbound message.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type InboundMessageResult } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * const result: InboundMessageResult = await server.simulate.inboundMessage({
 *   phone: '+15551234567',
 *   body: 'Stop',
 * });
 * console.log(result.consent); // opted_out
 * ```
 */
export interface InboundMessageResult {
  /** The sender, who was a contact or became one. */
  readonly contactId: string;
  /** The sender's one conversation with the workspace. */
  readonly conversationId: string;
  readonly messageId: string;
  /** The consent that the message's keyword changed, where it did. */
  readonly consent?: 'opted_in' | 'opted_out';
}

const keywords: Readonly<Record<string, 'opted_in' | 'opted_out'>> = { START: 'opted_in', STOP: 'opted_out' };

/** §6: what a contact's message causes. */
export class InboundMessages {
  readonly #environment: Environment;
  readonly #dispatcher: Dispatcher;

  constructor(environment: Environment, dispatcher: Dispatcher) {
    this.#environment = environment;
    this.#dispatcher = dispatcher;
  }

  async receive(workspace: WorkspaceStore, message: InboundMessage): Promise<InboundMessageResult> {
    const { newId } = this.#environment;
    const { phone, body, type = 'text' } = message;
    const { contact } = await workspace.upsertContact({ newId: newId('contact'), phone, properties: {} });
    // A contact has one conversation with the workspace, so its id can be told from the contact's.
    const conversationId = contact.id.replace(/^(contact_)?/, 'conversation_');
    const messageId = newId('message');
    const receivedAt = new Date(this.#environment.clock.now()).toISOString();
    const received = this.#outboxEvent({
      event: 'message.received',
      workspaceId: workspace.id,
      timestamp: receivedAt,
      data: { conversationId, messageId, contactId: contact.id, phone, type, body, receivedAt },
    });
    this.#dispatcher.wake(workspace, await workspace.enqueueDeliveries(received));
    const consent = await this.#applyKeyword(workspace, contact.id, message);
    return { contactId: contact.id, conversationId, messageId, ...(consent && { consent }) };
  }

  async #applyKeyword(
    workspace: WorkspaceStore,
    contactId: string,
    { phone, body }: InboundMessage,
  ): Promise<Exclude<Consent, 'unknown'> | undefined> {
    const keyword = body.trim().toUpperCase();
    const consent = Object.hasOwn(keywords, keyword) ? keywords[keyword] : undefined;
    if (consent === undefined) return undefined;
    const occurredAt = new Date(this.#environment.clock.now()).toISOString();
    const changed = this.#outboxEvent({
      event: `contact.${consent}`,
      workspaceId: workspace.id,
      timestamp: occurredAt,
      data: { contactId, phone, keyword, occurredAt },
    });
    const subscriptionIds = await workspace.changeConsent(contactId, consent, changed);
    if (subscriptionIds === undefined) return undefined;
    this.#dispatcher.wake(workspace, subscriptionIds);
    return consent;
  }

  #outboxEvent(event: KnownWebhookEvent): OutboxEvent {
    return {
      type: event.event,
      body: new TextEncoder().encode(JSON.stringify(event)),
      createdAt: this.#environment.clock.now(),
      newDeliveryId: () => this.#environment.newId('delivery'),
    };
  }
}
