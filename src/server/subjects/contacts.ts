import * as z from 'zod/mini';
import {
  anObject,
  aText,
  aWholeNumber,
  checkOptionsOfCall,
  type OptionChecks,
  oneOf,
} from '../../foundation/options.js';
import { type Page, type PageOptions, rangeOf } from '../model/page.js';
import { type ContactFilter, type ContactRecord, consents } from '../model/records.js';
import { type LiveWorkspace, run } from '../workspace/live-workspace.js';
import { operation } from './operation.js';
import type * as Shapes from './shapes.js';
import { isPhone } from './wait.js';

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
export type WorkspaceContacts = {
  /**
   * Lists the contacts that match, oldest first, one page at a time.
   *
   * @throws ConfigurationError if the filter or the page has an unknown field, or an invalid value.
   */
  list(filter?: ContactFilter, page?: PageOptions): Promise<Page<ContactRecord>>;
  /** Returns the contact with an id or phone. Undefined if there is none. */
  read(contact: string): Promise<ContactRecord | undefined>;
};

const filterChecks: OptionChecks = {
  phone: aText,
  consent: oneOf(...consents),
  properties: anObject,
};

const pageChecks: OptionChecks = { limit: aWholeNumber(0), cursor: aText };

export function contactsOf(live: LiveWorkspace): WorkspaceContacts {
  const { store } = live.context;
  return {
    async list(filter = {}, page = {}) {
      checkOptionsOfCall('The filter', filter, filterChecks);
      checkOptionsOfCall('contacts.list', page, pageChecks);
      const range = rangeOf(page);
      return run(live, () => store.contacts.page(filter, range));
    },
    read: (contact) =>
      run(live, () =>
        isPhone(contact) ? store.contacts.findByPhone(contact) : store.contacts.findById(contact),
      ),
  };
}

export const contactsOperations = ({ text, optional, optionalPhone, paging, ...shapes }: typeof Shapes) => ({
  list: operation('contacts.list', 'GET', '/control/contacts', {
    summary: 'Lists the contacts, oldest first.',
    query: {
      phone: optionalPhone,
      consent: optional(z.enum(consents), "The contact's consent."),
      property: optional(
        z
          .union([text, z.array(text)])
          .check(
            z.refine(
              (texts) => [texts].flat().every((each) => each.indexOf(':') > 0),
              'must be a name and a value, such as city:Paris',
            ),
          ),
        "A property's name and value, such as city:Paris. If you repeat it, all must match.",
      ),
      ...paging,
    },
    result: shapes.pageOfMany(shapes.contactSchema),
    rule: (live, { query: { phone, consent, property, ...page } }) =>
      contactsOf(live).list({ phone, consent, properties: propertiesIn(property) }, page),
  }),
  read: operation('contacts.read', 'GET', '/control/contacts/:contact', {
    summary: 'Returns the contact with an id or a phone, and its consent.',
    result: shapes.contactSchema,
    refusals: { 404: 'No contact has this id or phone.' },
    rule: (live, { path }) => contactsOf(live).read(path.contact),
  }),
});

function propertiesIn(property: string | string[] | undefined): Readonly<Record<string, string>> {
  const pairs = [property ?? []].flat().map((text) => {
    const colon = text.indexOf(':');
    return [text.slice(0, colon), text.slice(colon + 1)] as const;
  });
  return Object.fromEntries(pairs);
}
