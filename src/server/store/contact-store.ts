import type { ContactProperties } from '../../contract/contact.js';
import type { ContactRecord } from '../model/records.js';
import type { EffectsOf } from './effects.js';

/** The contacts of a workspace. */
export interface ContactStore {
  /**
   * Creates a contact with the id `newId` and an unknown consent. Where a contact has the phone already, that one gets
   * the properties, merged into its own or in their place, and keeps its id and its consent.
   */
  upsert(contact: NewContact, existing: 'merge' | 'replace'): Promise<UpsertedContact>;
  findById(contactId: string): Promise<ContactRecord | undefined>;
  findByPhone(phone: string): Promise<ContactRecord | undefined>;
  /** Merges the properties into those of the contact. Undefined where there is no such contact. */
  update(contactId: string, properties: ContactProperties): Promise<ContactRecord | undefined>;
  /** In the order in which they were created, whatever changed since. */
  list(): Promise<readonly ContactRecord[]>;
}

export const contactEffects: EffectsOf<ContactStore> = {
  upsert: 'writes',
  findById: 'reads',
  findByPhone: 'reads',
  update: 'writes',
  list: 'reads',
};

export interface NewContact {
  readonly newId: string;
  readonly phone: string;
  readonly properties: ContactProperties;
}

export interface UpsertedContact {
  readonly contact: ContactRecord;
  readonly created: boolean;
}
