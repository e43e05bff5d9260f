import type { Delivery, Entry } from '../surface/entry.js';
import { parsed } from '../surface/refused-error.js';

/** The fields of a delivery's event that the page uses. */
export interface DeliveredEvent {
  readonly data: {
    readonly phone?: unknown;
    readonly contactId?: unknown;
    readonly messageId?: unknown;
    readonly body?: unknown;
  };
}

/** The events that were read, which many views ask for again and again. */
const read = new WeakMap<object, DeliveredEvent>();

/** Reads the event in a delivery's body. Each field may be absent. */
export function eventIn(delivery: Pick<Delivery, 'body'>): DeliveredEvent {
  const known = read.get(delivery);
  if (known !== undefined) return known;
  const { data } = Object(parsed(delivery.body));
  const event = { data: Object(data) };
  read.set(delivery, event);
  return event;
}

/** The phone and the id of the contact that an entry is about, as far as the entry says. */
export function contactOf(entry: Entry): { readonly phone?: string; readonly contactId?: string } {
  switch (entry.type) {
    case 'send':
      return entry.send;
    case 'event':
      return { phone: entry.phone, contactId: entry.event.contactId };
    case 'message':
      return entry;
    case 'attempt':
      return asContact(eventIn(entry.delivery).data);
    case 'journey':
      return entry.run;
    case 'request':
      return contactOfRequest(entry.path, entry.body, entry.responseBody);
    case 'fault':
      return {};
  }
}

function contactOfRequest(path: string, body = '', response = ''): ReturnType<typeof contactOf> {
  const phone = new URLSearchParams(path.split('?')[1]).get('phone') ?? Object(parsed(body)).phone;
  const returned = Object(parsed(response));
  const contactId = /\/contacts\/([^/?]+)/.exec(path)?.[1];
  return asContact({
    phone: phone ?? Object(returned.properties).phone,
    contactId: contactId === 'find' || contactId === undefined ? returned.id : contactId,
  });
}

function asContact({ phone, contactId }: { readonly phone?: unknown; readonly contactId?: unknown }) {
  return {
    ...(typeof phone === 'string' && { phone }),
    ...(typeof contactId === 'string' && { contactId }),
  };
}
