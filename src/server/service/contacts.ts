import type {
  Contact,
  ContactProperties,
  UpdateContactInput,
  UpsertContactInput,
} from '../../contract/contact.js';
import { maskPhone } from '../../contract/phone.js';
import type { ContactRecord } from '../model/records.js';
import { invalidRequest, ServiceError, UnknownIdError } from '../model/service-error.js';
import type { WorkspaceStore } from '../store/store.js';
import type { WorkspaceContext } from './context.js';

/** The rules of /v1/contacts. */
export function createContacts({ environment, gaps, store }: WorkspaceContext) {
  async function upsert(
    input: UpsertContactInput<ContactProperties>,
  ): Promise<{ readonly contact: Contact; readonly created: boolean }> {
    const { contact, created } = await store.contacts.upsert(
      {
        newId: environment.newId('contact'),
        phone: input.phone,
        properties: withoutPhone(input.properties ?? {}, input.phone),
      },
      gaps().upsertOfExisting,
    );
    return { contact: toContact(contact), created };
  }

  async function find(phone: string): Promise<Contact> {
    return toContact(await contactByPhone(store, phone));
  }

  async function get(id: string): Promise<Contact> {
    return toContact(await byId(id));
  }

  async function update(id: string, input: UpdateContactInput<ContactProperties>): Promise<Contact> {
    const { phone } = await byId(id);
    const updated = await store.contacts.update(id, withoutPhone(input.properties, phone));
    if (updated === undefined) throw unknownContactId();
    return toContact(updated);
  }

  async function remove(id: string): Promise<void> {
    if (!(await store.deleteContact(id))) throw unknownContactId();
  }

  async function byId(id: string): Promise<ContactRecord> {
    const contact = await store.contacts.findById(id);
    if (contact === undefined) throw unknownContactId();
    return contact;
  }

  /** The phone identifies the contact, so the properties can repeat it but not change it. */
  function withoutPhone(properties: ContactProperties, phone: string): ContactProperties {
    if (!Object.hasOwn(properties, 'phone')) return properties;
    const { phone: repeated, ...others } = properties;
    if (repeated === phone || gaps().changedPhone === 'ignore') return others;
    throw invalidRequest([
      {
        field: 'properties.phone',
        message: "must be the contact's own phone: it identifies the contact and cannot be changed",
      },
    ]);
  }

  return { upsert, find, get, update, delete: remove };
}

/** Returns the contact with this phone, or throws 404 `not_found`. */
export async function contactByPhone(store: WorkspaceStore, phone: string): Promise<ContactRecord> {
  const contact = await store.contacts.findByPhone(phone);
  if (contact !== undefined) return contact;
  throw new ServiceError(
    'not_found',
    `No contact has the phone ${maskPhone(phone)}. Create it first with POST /v1/contacts.`,
  );
}

/** The error does not repeat the id, because a caller may have passed a phone number instead. */
function unknownContactId(): UnknownIdError {
  return new UnknownIdError(
    'No contact of this workspace has this id. Find the contact by its phone with GET /v1/contacts/find.',
  );
}

function toContact(record: ContactRecord): Contact {
  return { id: record.id, properties: { phone: record.phone, ...record.properties } };
}
