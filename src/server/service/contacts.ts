import type {
  Contact,
  ContactProperties,
  UpdateContactInput,
  UpsertContactInput,
} from '../../contract/contact.js';
import { maskPhone } from '../../contract/phone.js';
import type { ContactRecord } from '../store/records.js';
import type { WorkspaceStore } from '../store/store.js';
import type { WorkspaceContext } from '../workspace/context.js';
import { invalidRequest, ServiceError } from './service-error.js';

/** The rules of contacts: §2 Contact and §4, /v1/contacts. */
export class Contacts {
  readonly #context: WorkspaceContext;

  constructor(context: WorkspaceContext) {
    this.#context = context;
  }

  async upsert(input: UpsertContactInput): Promise<{ readonly contact: Contact; readonly created: boolean }> {
    const { store, environment } = this.#context;
    const { contact, created } = await store.upsertContact(
      {
        newId: environment.newId('contact'),
        phone: input.phone,
        properties: withoutPhone(input.properties ?? {}, input.phone),
      },
      'merge',
    );
    return { contact: toContact(contact), created };
  }

  async find(phone: string): Promise<Contact> {
    return toContact(await contactByPhone(this.#context.store, phone));
  }

  async get(id: string): Promise<Contact> {
    return toContact(await contactById(this.#context.store, id));
  }

  async update(id: string, input: UpdateContactInput): Promise<Contact> {
    const { store } = this.#context;
    const { phone } = await contactById(store, id);
    const updated = await store.updateContact(id, withoutPhone(input.properties, phone));
    if (updated === undefined) throw unknownContactId();
    return toContact(updated);
  }

  async delete(id: string): Promise<void> {
    if (!(await this.#context.store.deleteContact(id))) throw unknownContactId();
  }
}

/** The contact with this phone, or 404 not_found. */
export async function contactByPhone(store: WorkspaceStore, phone: string): Promise<ContactRecord> {
  const contact = await store.findContactByPhone(phone);
  if (contact !== undefined) return contact;
  throw new ServiceError(
    'not_found',
    `No contact has the phone ${maskPhone(phone)}. Create it first with POST /v1/contacts.`,
  );
}

/** The contact with this id, or 404 not_found. */
export async function contactById(store: WorkspaceStore, id: string): Promise<ContactRecord> {
  const contact = await store.findContactById(id);
  if (contact === undefined) throw unknownContactId();
  return contact;
}

/** Does not repeat the id: a phone number is easily put where an id belongs. */
function unknownContactId(): ServiceError {
  return new ServiceError(
    'not_found',
    'No contact of this workspace has this id. GET /v1/contacts/find looks one up by its phone.',
  );
}

function toContact(record: ContactRecord): Contact {
  return { id: record.id, properties: { phone: record.phone, ...record.properties } };
}

/** The phone identifies the contact, so among the properties it may be repeated but not changed. */
function withoutPhone(properties: ContactProperties, phone: string): ContactProperties {
  if (!Object.hasOwn(properties, 'phone')) return properties;
  const { phone: repeated, ...others } = properties;
  if (repeated !== phone) {
    throw invalidRequest([
      {
        field: 'properties.phone',
        message: "must be the contact's own phone: it identifies the contact and cannot be changed",
      },
    ]);
  }
  return others;
}
