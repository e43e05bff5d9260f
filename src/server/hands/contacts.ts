import type { PropertyValue } from '../../contract/contact.js';
import type { Page, PageOptions } from '../model/page.js';
import type { Consent, ContactRecord } from '../model/records.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { asked, type Criterion, differencesOf } from './filter.js';
import { pageOf } from './page.js';

/** Selects contacts. A contact must match every field that is set. */
export interface ContactFilter {
  readonly phone?: string | undefined;
  readonly consent?: Consent | undefined;
  /** Values of properties, compared as text: `5` equals `'5'`. An array property matches if it includes the value. */
  readonly properties?: Readonly<Record<string, string | number | boolean>> | undefined;
}

/**
 * Lists and finds the contacts of a workspace. The API of the service can only read one contact at a time.
 *
 * @example
 * ```ts
 * import { createReferenceServer } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer({
 *   contacts: [{ phone: '+15551234567', properties: { city: 'Paris' } }, { phone: '+442071838750' }],
 * });
 * const { data } = await server.contacts.list({ properties: { city: 'Paris' } });
 * console.log(data[0]?.phone, data[0]?.consent); // +15551234567 unknown
 * ```
 */
export interface WorkspaceContacts {
  /**
   * Lists the contacts that match, oldest first, one page at a time.
   *
   * @throws TypeError if the filter has an unknown field.
   */
  list(filter?: ContactFilter, page?: PageOptions): Promise<Page<ContactRecord>>;
  /** Returns the contact with an id or phone. Undefined if there is none. */
  read(contact: string): Promise<ContactRecord | undefined>;
}

export function contactsOf({ life, context: { store }, numberings }: LiveWorkspace): WorkspaceContacts {
  return {
    async list(filter = {}, page = {}) {
      const criteria = criteriaOf(filter);
      await life.opened();
      return pageOf(
        numberings.contacts,
        await store.contacts.list(),
        (contact) => differencesOf(criteria, contact).length === 0,
        page,
      );
    },
    async read(contact) {
      await life.opened();
      return contact.startsWith('+') ? store.contacts.findByPhone(contact) : store.contacts.findById(contact);
    },
  };
}

function criteriaOf(filter: ContactFilter): readonly Criterion<ContactRecord>[] {
  const { phone, consent, properties = {} } = filter;
  return [
    ...asked<ContactRecord>(filter, {
      phone: { name: 'phone', wanted: phone, actual: (contact) => contact.phone },
      consent: { name: 'consent', wanted: consent, actual: (contact) => contact.consent },
      // Each property is a separate criterion, below.
      properties: { name: 'properties', wanted: undefined, actual: (contact) => contact.properties },
    }),
    ...Object.entries(properties).map(([name, wanted]) => ({
      name,
      wanted,
      actual: (contact: ContactRecord) => contact.properties[name],
      meets: (contact: ContactRecord) =>
        Object.hasOwn(contact.properties, name) && holds(contact.properties[name], wanted),
    })),
  ];
}

function holds(value: PropertyValue | undefined, wanted: string | number | boolean): boolean {
  const values = Array.isArray(value) ? value : [value];
  return values.some((each) => String(each) === String(wanted));
}
