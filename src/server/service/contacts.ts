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
export class ContactRules {
  readonly #context: WorkspaceContext;

  constructor(context: WorkspaceContext) {
    this.#context = context;
  }

  async upsert(
    input: UpsertContactInput<ContactProperties>,
  ): Promise<{ readonly contact: Contact; readonly created: boolean }> {
    const { environment, gaps, store } = this.#context;
    const { contact, created } = await store.contacts.upsert(
      {
        newId: environment.newId('contact'),
        phone: input.phone,
        properties: this.#withoutPhone(input.properties ?? {}, input.phone),
      },
      gaps().upsertOfExisting,
    );
    return { contact: toContact(contact), created };
  }

  async find(phone: string): Promise<Contact> {
    return toContact(await contactByPhone(this.#context.store, phone));
  }

  async get(id: string): Promise<Contact> {
    return toContact(await this.#byId(id));
  }

  async update(id: string, input: UpdateContactInput<ContactProperties>): Promise<Contact> {
    const { phone } = await this.#byId(id);
    const updated = await this.#context.store.contacts.update(
      id,
      this.#withoutPhone(input.properties, phone),
    );
    if (updated === undefined) throw unknownContactId();
    return toContact(updated);
  }

  async delete(id: string): Promise<void> {
    if (!(await this.#context.store.deleteContact(id))) throw unknownContactId();
  }

  async #byId(id: string): Promise<ContactRecord> {
    const contact = await this.#context.store.contacts.findById(id);
    if (contact === undefined) throw unknownContactId();
    return contact;
  }

  /** The phone identifies the contact, so the properties can repeat it but not change it. */
  #withoutPhone(properties: ContactProperties, phone: string): ContactProperties {
    if (!Object.hasOwn(properties, 'phone')) return properties;
    const { phone: repeated, ...others } = properties;
    if (repeated === phone || this.#context.gaps().changedPhone === 'ignore') return others;
    throw invalidRequest([
      {
        field: 'properties.phone',
        message: "must be the contact's own phone: it identifies the contact and cannot be changed",
      },
    ]);
  }
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
