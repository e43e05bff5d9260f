import type { ContactProperties } from '../../../contract/contact.js';
import type { ContactRecord } from '../../model/records.js';
import { type ContactStore, idTaken, type NewContact, type UpsertedContact } from '../contact-store.js';

/** One workspace's contacts in memory. */
export class MemoryContacts implements ContactStore {
  readonly #byId = new Map<string, ContactRecord>();
  readonly #byPhone = new Map<string, ContactRecord>();

  readonly #changed: () => void;

  constructor(contacts: readonly ContactRecord[], changed: () => void) {
    this.#changed = changed;
    for (const contact of contacts) this.keep(contact);
  }

  async upsert(contact: NewContact, existing: 'merge' | 'replace'): Promise<UpsertedContact> {
    const upserted = this.upserted(contact, existing);
    this.keep(upserted.contact);
    return upserted;
  }

  /** Returns the result of an upsert without storing it. */
  upserted({ newId, phone, properties }: NewContact, existing: 'merge' | 'replace'): UpsertedContact {
    const known = this.#byPhone.get(phone);
    if (known === undefined) {
      if (this.#byId.has(newId)) throw idTaken();
      return { contact: { id: newId, phone, properties, consent: 'unknown' }, created: true };
    }
    const contact = existing === 'merge' ? merged(known, properties) : { ...known, properties };
    return { contact, created: false };
  }

  async findById(contactId: string): Promise<ContactRecord | undefined> {
    return this.#byId.get(contactId);
  }

  async findByPhone(phone: string): Promise<ContactRecord | undefined> {
    return this.#byPhone.get(phone);
  }

  async update(contactId: string, properties: ContactProperties): Promise<ContactRecord | undefined> {
    const known = this.#byId.get(contactId);
    return known && this.keep(merged(known, properties));
  }

  async count(): Promise<number> {
    return this.#byId.size;
  }

  async list(): Promise<readonly ContactRecord[]> {
    return this.all();
  }

  has(contactId: string): boolean {
    return this.#byId.has(contactId);
  }

  delete(contactId: string): boolean {
    const contact = this.#byId.get(contactId);
    if (contact === undefined) return false;
    this.#byId.delete(contactId);
    this.#byPhone.delete(contact.phone);
    this.#changed();
    return true;
  }

  all(): readonly ContactRecord[] {
    return [...this.#byId.values()];
  }

  /** Replaces the record. Record objects are immutable, so an earlier reader keeps its version. */
  keep(contact: ContactRecord): ContactRecord {
    this.#byId.set(contact.id, contact);
    this.#byPhone.set(contact.phone, contact);
    this.#changed();
    return contact;
  }
}

function merged(contact: ContactRecord, properties: ContactProperties): ContactRecord {
  return { ...contact, properties: { ...contact.properties, ...properties } };
}
