import type { ContactProperties } from '../../contract/contact.js';
import type { Page, PageRange } from '../model/page.js';
import type { ContactFilter, ContactRecord } from '../model/records.js';

/** The contacts of a workspace. */
export interface ContactStore {
  /**
   * Creates a contact with the id `newId` and an unknown consent. If a contact with the phone exists, merges or replaces its
   * properties, and keeps its id and its consent.
   *
   * @throws Error `idTaken` if another contact has the id `newId`.
   */
  upsert(contact: NewContact, existing: 'merge' | 'replace'): Promise<UpsertedContact>;
  findById(contactId: string): Promise<ContactRecord | undefined>;
  findByPhone(phone: string): Promise<ContactRecord | undefined>;
  /** Merges the properties into those of the contact. Undefined if the contact does not exist. */
  update(contactId: string, properties: ContactProperties): Promise<ContactRecord | undefined>;
  count(): Promise<number>;
  /** Returns a page of the contacts that match, in the order of their creation. */
  page(filter: ContactFilter, range: PageRange): Promise<Page<ContactRecord>>;
}

/** Returns the error of a contact that was to be created with the id of another one. */
export function idTaken(): Error {
  return new Error(
    'Another contact of this workspace has the id that this one was to get. Nothing was changed.',
  );
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
