import type { Delivery } from '../surface/entry.js';
import { eventIn } from './about.js';
import type { Person } from './people.js';

/** The path of a receiver, which tells receivers of one host apart. */
export function pathOf(url: string): string {
  return /^[^/]*\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] || '/';
}

/** Whose event a delivery carries: the name or the phone of the contact, and what the contact wrote. */
export function subjectOf(
  delivery: Pick<Delivery, 'body' | 'event'>,
  people: ReadonlyMap<string, Person>,
): string {
  const { contactId, phone, body } = eventIn(delivery).data;
  const person = typeof contactId === 'string' ? people.get(contactId) : undefined;
  const who = person?.name ?? person?.phone ?? (typeof phone === 'string' ? phone : '');
  return [who, typeof body === 'string' ? `“${body}”` : delivery.event]
    .filter((part) => part !== '')
    .join(' ');
}
