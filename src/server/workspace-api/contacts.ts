import { type Page, type PageOptions, rangeOf } from '../model/page.js';
import type { ContactFilter, ContactRecord } from '../model/records.js';
import type { LiveWorkspace } from '../workspace/live-workspace.js';
import { refuseUnknown } from './filter.js';
import { whenOpen } from './when-open.js';

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

export function contactsOf(live: LiveWorkspace): WorkspaceContacts {
  const { store } = live.context;
  return whenOpen(live, {
    async list(filter = {}, page = {}) {
      refuseUnknown(filter, ['phone', 'consent', 'properties']);
      return store.contacts.page(filter, rangeOf(page));
    },
    read: (contact) =>
      contact.startsWith('+') ? store.contacts.findByPhone(contact) : store.contacts.findById(contact),
  });
}
