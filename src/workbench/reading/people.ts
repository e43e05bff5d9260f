import type { ContactProperties } from '../../contract/contact.js';
import type { Consent } from '../../server/model/records.js';
import type { Entry } from '../surface/entry.js';

/** A contact as a list shows it. */
export interface Person {
  readonly id: string;
  readonly phone: string;
  /** The first name, if the contact has one. */
  readonly name?: string;
}

/** The contacts of a workspace: those of the journal first, newest first, then the others. */
export function peopleIn(
  entries: readonly Entry[],
  contacts: readonly { readonly id: string; readonly phone: string; readonly properties: object }[],
): ReadonlyMap<string, Person> {
  const records = new Map(contacts.map((contact) => [contact.id, contact]));
  const people = new Map<string, Person>();
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const found = personIn(entries[index]);
    if (found !== undefined && !people.has(found.id))
      people.set(found.id, named(found, records.get(found.id)?.properties));
  }
  for (const { id, phone, properties } of contacts) {
    if (!people.has(id)) people.set(id, named({ id, phone }, properties));
  }
  return people;
}

function personIn(entry: Entry | undefined): Person | undefined {
  if (entry?.type === 'message') return { id: entry.contactId, phone: entry.phone };
  if (entry?.type === 'event') return { id: entry.event.contactId, phone: entry.phone };
  if (entry?.type === 'send') return { id: entry.send.contactId, phone: entry.send.phone };
  return undefined;
}

function named(person: Person, properties: object = {}): Person {
  const name = firstNameIn(properties);
  return name === undefined ? person : { ...person, name };
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
