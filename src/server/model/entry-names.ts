import type {
  ChangeEntry,
  Delivery,
  DeliveryFaultEntry,
  EventEntry,
  JourneyEntry,
  MessageEntry,
  RequestEntry,
  RequestFaultEntry,
  SendEntry,
} from './journal-entry.js';

/** An entry, as the journal has it or as its JSON has it. */
type NamedEntry =
  | Pick<RequestEntry, 'type' | 'requestId'>
  | Pick<RequestFaultEntry, 'type' | 'requestId'>
  | Pick<DeliveryFaultEntry, 'type' | 'deliveryId'>
  | Pick<SendEntry, 'type' | 'send' | 'requestId'>
  | Pick<EventEntry, 'type' | 'event' | 'requestId'>
  | Pick<MessageEntry, 'type' | 'messageId' | 'phone' | 'consent' | 'at'>
  | Pick<JourneyEntry, 'type' | 'run'>
  | Pick<ChangeEntry, 'type'>
  | { readonly type: 'attempt'; readonly delivery: Pick<Delivery, 'id' | 'event'> };

/** The names by which other entries refer to an entry, and the name of its cause. */
export interface EntryNames {
  readonly own: readonly string[];
  readonly cause: string | undefined;
}

/** Returns the names that link an entry to others. `data` is the data of the event that a delivery has in its body. */
export function namesOf(entry: NamedEntry, data: unknown): EntryNames {
  switch (entry.type) {
    case 'request':
      return { own: [entry.requestId], cause: undefined };
    case 'message': {
      const { messageId, phone, consent, at } = entry;
      const change = consent && changeOfConsent(`contact.${consent}`, phone, new Date(at).toISOString());
      return { own: [messageId, ...(change === undefined ? [] : [change])], cause: undefined };
    }
    case 'event':
      return { own: [entry.event.id], cause: entry.requestId };
    case 'journey':
      return { own: [entry.run.id], cause: entry.run.eventId };
    case 'send':
      return { own: [entry.send.id], cause: entry.send.journeyRunId ?? entry.requestId };
    case 'attempt':
      return { own: [entry.delivery.id], cause: causeOfDelivery(entry.delivery.event, data) };
    case 'change':
      return { own: [], cause: undefined };
    case 'fault':
      return { own: [], cause: 'requestId' in entry ? entry.requestId : entry.deliveryId };
  }
}

function causeOfDelivery(event: string, data: unknown): string | undefined {
  const { messageId, phone, occurredAt } = Object(data);
  if (typeof messageId === 'string') return messageId;
  return typeof phone === 'string' && typeof occurredAt === 'string'
    ? changeOfConsent(event, phone, occurredAt)
    : undefined;
}

/** The name of a change of consent. Its event has no message id, but has the phone and the time of the message. */
function changeOfConsent(event: string, phone: string, occurredAt: string): string {
  return `${event} ${phone} ${occurredAt}`;
}
