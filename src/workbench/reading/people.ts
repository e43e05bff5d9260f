import type { ContactProperties } from '../../contract/contact.js';
import type { Consent } from '../../server/model/records.js';
import type { Entry } from '../surface/entry.js';
import { contactOf } from './describe-entry.js';

/** A contact as a list shows it. */
export interface Person {
  readonly id: string;
  readonly phone: string;
  /** The first name, if the contact has one. */
  readonly name: string | undefined;
}

/** The contacts of a workspace: those of the journal first, newest first, then the others. */
export function peopleIn(
  entries: readonly Entry[],
  contacts: readonly Pick<Contact, 'id' | 'phone' | 'properties'>[],
): ReadonlyMap<string, Person> {
  const names = new Map(contacts.map(({ id, properties }) => [id, firstNameIn(properties)]));
  const people = new Map<string, Person>();
  const add = (id: string, phone: string) => {
    if (!people.has(id)) people.set(id, { id, phone, name: names.get(id) });
  };
  for (const entry of entries.toReversed()) {
    if (entry.type !== 'message' && entry.type !== 'event' && entry.type !== 'send') continue;
    const { contactId, phone } = contactOf(entry);
    if (contactId !== undefined && phone !== undefined) add(contactId, phone);
  }
  for (const { id, phone } of contacts) add(id, phone);
  return people;
}

/** The first name among the properties of a contact. */
export function firstNameIn(properties: object): string | undefined {
  const { firstName, first_name: other, name } = Object(properties);
  return [firstName, other, name].find((value) => typeof value === 'string' && value !== '');
}

/** Whether a person's phone or name contains a text. */
export function isFound({ phone, name = '' }: Person, text: string): boolean {
  const digits = text.replace(/[^\d+]/g, '');
  return (digits !== '' && phone.includes(digits)) || name.toLowerCase().includes(text.trim().toLowerCase());
}

/** The contact that the phone shows. */
export interface Contact {
  readonly id: string;
  readonly phone: string;
  readonly properties: ContactProperties;
  readonly consent: Consent;
}
