import type { ContactProperties } from '../../../contract/contact.js';
import type { Page, PageRange } from '../../model/page.js';
import type { ContactFilter, ContactRecord } from '../../model/records.js';
import { type ContactStore, idTaken, type NewContact, type UpsertedContact } from '../store.js';
import { hasFields, type KeptOptions, NumberedRecords } from './kept-records.js';

/** One workspace's contacts in memory. */
export class MemoryContacts implements ContactStore {
  readonly records: NumberedRecords<ContactRecord>;
  readonly #byPhone = new Map<string, ContactRecord>();

  constructor(options: KeptOptions) {
    this.records = new NumberedRecords(options, ({ properties }) => JSON.stringify(properties).length);
  }

  /** Replaces all contacts. */
  load(contacts: readonly ContactRecord[]): void {
    this.records.load(contacts);
    this.#byPhone.clear();
    for (const contact of contacts) this.#byPhone.set(contact.phone, contact);
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
      if (this.records.get(newId) !== undefined) throw idTaken();
      return { contact: { id: newId, phone, properties, consent: 'unknown' }, created: true };
    }
    const contact = existing === 'merge' ? merged(known, properties) : { ...known, properties };
    return { contact, created: false };
  }

  async findById(contactId: string): Promise<ContactRecord | undefined> {
    return this.records.get(contactId);
  }

  async findByPhone(phone: string): Promise<ContactRecord | undefined> {
    return this.#byPhone.get(phone);
  }

  async update(contactId: string, properties: ContactProperties): Promise<ContactRecord | undefined> {
    const known = this.records.get(contactId);
    return known && this.keep(merged(known, properties));
  }

  async count(): Promise<number> {
    return this.records.size;
  }

  async page({ properties = {}, ...fields }: ContactFilter, range: PageRange): Promise<Page<ContactRecord>> {
    const wanted = Object.entries(properties);
    return this.records.page(
      (contact) =>
        hasFields(contact, fields) && wanted.every(([name, value]) => holds(contact.properties, name, value)),
      range,
    );
  }

  delete(contactId: string): boolean {
    const contact = this.records.get(contactId);
    if (contact === undefined) return false;
    this.records.drop(contactId);
    this.#byPhone.delete(contact.phone);
    return true;
  }

  /** Replaces the record. Record objects are immutable, so an earlier reader keeps its version. */
  keep(contact: ContactRecord): ContactRecord {
    this.records.set(contact);
    this.#byPhone.set(contact.phone, contact);
    return contact;
  }
}

function merged(contact: ContactRecord, properties: ContactProperties): ContactRecord {
  return { ...contact, properties: { ...contact.properties, ...properties } };
}

function holds(properties: ContactProperties, name: string, wanted: string | number | boolean): boolean {
  const value = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return [value ?? []].flat().some((each) => String(each) === String(wanted));
}
