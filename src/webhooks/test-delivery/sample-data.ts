import type { MessageReceivedData } from '../../contract/delivery.js';

/**
 * Returns plausible data for an event type. The id is different each time, as in deliveries of the service, so that a receiver does not
 * treat the events as duplicates.
 */
export function sampleData(event: string, timestamp: string): Readonly<Record<string, unknown>> {
  const id = globalThis.crypto.randomUUID();
  switch (event) {
    case 'message.received':
      return {
        conversationId: 'conversation_1',
        messageId: `message_${id}`,
        contactId: 'contact_1',
        phone: '+15551234567',
        type: 'text',
        body: 'Hello',
        receivedAt: timestamp,
      } satisfies MessageReceivedData;
    case 'contact.opted_in':
    case 'contact.opted_out': {
      const keyword = event === 'contact.opted_in' ? 'START' : 'STOP';
      return { contactId: `contact_${id}`, phone: '+15551234567', keyword, occurredAt: timestamp };
    }
    default:
      return { id };
  }
}
