import type { ContactProperties } from '../../contract/contact.js';
import type { ContactRecord } from '../model/records.js';

/** The contacts of a workspace. */
export interface ContactStore {
  /** Creates the contact under `newId`. Where one has the phone, merges or replaces the properties of that one. */
  upsert(contact: NewContact, existing: 'merge' | 'replace'): Promise<UpsertedContact>;
  findById(contactId: string): Promise<ContactRecord | undefined>;
  findByPhone(phone: string): Promise<ContactRecord | undefined>;
  /** Merges the properties into the contact's. Undefined where there is no such contact. */
  update(contactId: string, properties: ContactProperties): Promise<ContactRecord | undefined>;
  /** Oldest first. */
  list(): Promise<readonly ContactRecord[]>;
}

export interface NewContact {
  readonly newId: string;
  readonly phone: string;
  readonly properties: ContactProperties;
}

export interface UpsertedContact {
  readonly contact: ContactRecord;
  readonly created: boolean;
}
