import type { ContactProperties } from '../../../contract/contact.js';
import type { ContactRecord } from '../../model/records.js';
import type { NewContact, UpsertedContact } from '../store.js';

/** One workspace's contacts in memory. */
export class MemoryContacts {
  readonly #byId = new Map<string, ContactRecord>();
  readonly #byPhone = new Map<string, ContactRecord>();

  constructor(contacts: readonly ContactRecord[] = []) {
    for (const contact of contacts) this.keep(contact);
  }

  upsert(contact: NewContact, existing: 'merge' | 'replace'): UpsertedContact {
    const upserted = this.upserted(contact, existing);
    this.keep(upserted.contact);
    return upserted;
  }

  /** What an upsert would make of the contact, without doing it. */
  upserted({ newId, phone, properties }: NewContact, existing: 'merge' | 'replace'): UpsertedContact {
    const known = this.#byPhone.get(phone);
    if (known === undefined) {
      return { contact: { id: newId, phone, properties, consent: 'unknown' }, created: true };
    }
    const contact = existing === 'merge' ? merged(known, properties) : { ...known, properties };
    return { contact, created: false };
  }

  update(contactId: string, properties: ContactProperties): ContactRecord | undefined {
    const known = this.#byId.get(contactId);
    return known && this.keep(merged(known, properties));
  }

  withId(contactId: string): ContactRecord | undefined {
    return this.#byId.get(contactId);
  }

  withPhone(phone: string): ContactRecord | undefined {
    return this.#byPhone.get(phone);
  }

  delete(contactId: string): boolean {
    const contact = this.#byId.get(contactId);
    if (contact === undefined) return false;
    this.#byId.delete(contactId);
    this.#byPhone.delete(contact.phone);
    return true;
  }

  list(): readonly ContactRecord[] {
    return [...this.#byId.values()];
  }

  /** A record is never changed, but put in the place of the one before: whoever holds that one keeps what it said. */
  keep(contact: ContactRecord): ContactRecord {
    this.#byId.set(contact.id, contact);
    this.#byPhone.set(contact.phone, contact);
    return contact;
  }
}

function merged(contact: ContactRecord, properties: ContactProperties): ContactRecord {
  return { ...contact, properties: { ...contact.properties, ...properties } };
}
