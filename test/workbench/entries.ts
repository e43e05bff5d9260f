import type {
  DeliverySnapshot,
  EntryJson,
  EntryJsonOf,
  JourneyRunRecord,
} from '../../src/workbench/surface/entry.js';

export const ada = { contactId: 'contact_ada', phone: '+15551234567' };
export const linus = { contactId: 'contact_linus', phone: '+15557654321' };

/** A message of Ada. Each entry here has its number as its time. */
export function messageOf(number: number, fields: Partial<EntryJsonOf<'message'>> = {}): EntryJson {
  const message = {
    type: 'message',
    number,
    at: number,
    messageId: `message_${number}`,
    body: 'Hello',
  } as const;
  return { ...message, ...ada, ...fields };
}

export function attemptOf(number: number, delivery: DeliverySnapshot, error?: string): EntryJson {
  const attempt = { number: 1, startedAt: number, signature: 'aa', ...(error !== undefined && { error }) };
  return { type: 'attempt', number, at: number, delivery, attempt };
}

/** The delivery of a message of Ada. */
export function deliveryOf(messageId: string, fields: Partial<DeliverySnapshot> = {}): DeliverySnapshot {
  return {
    id: `delivery of ${messageId}`,
    subscriptionId: 'webhook_1',
    event: 'message.received',
    url: 'http://localhost:3000/webhooks',
    body: JSON.stringify({ data: { messageId, contactId: ada.contactId, body: 'Hello' } }),
    status: 'delivered',
    attempts: [],
    createdAt: 1,
    ...fields,
  };
}

/** A journey run of Ada. */
export function runOf(fields: Partial<JourneyRunRecord> = {}): JourneyRunRecord {
  return {
    id: 'run_1',
    journeyId: 'greeting',
    contactId: ada.contactId,
    eventId: 'event_1',
    eventProperties: {},
    startedAt: 1,
    status: 'waiting',
    position: 0,
    dueAt: 1,
    ...fields,
  };
}

export function stepOf(number: number, fields: Partial<JourneyRunRecord> = {}): EntryJson {
  return { type: 'journey', number, at: number, run: runOf(fields) };
}
