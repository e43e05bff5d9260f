import { altered } from '../altered-store.js';
import type { BrokenStore } from './broken-store.js';

export const brokenContacts: readonly BrokenStore[] = [
  [
    'gives a contact who is known the id of a new one',
    'contacts: are created once for a phone, then merged',
    altered((kept) => ({
      contacts: {
        async upsert(contact, existing) {
          const upserted = await kept.contacts.upsert(contact, existing);
          return { ...upserted, contact: { ...upserted.contact, id: contact.newId } };
        },
      },
    })),
  ],
  [
    'merges properties that are to be replaced',
    'contacts: have other properties instead where they are to be replaced',
    altered((kept) => ({ contacts: { upsert: (contact) => kept.contacts.upsert(contact, 'merge') } })),
  ],
  [
    'loses an upsert that runs beside another',
    'contacts: of one phone are one, however many upserts run at once, and no property is lost',
    altered((kept) => ({
      contacts: {
        async upsert(contact, existing) {
          const known = await kept.contacts.findByPhone(contact.phone);
          const properties = { ...(existing === 'merge' && known?.properties), ...contact.properties };
          return kept.contacts.upsert({ ...contact, properties }, 'replace');
        },
      },
    })),
  ],
  [
    'loses an update that runs beside another',
    'contacts: are updated by merging, at once too; where there is none, nothing is',
    altered((kept) => ({
      contacts: {
        async update(contactId, changes) {
          const known = await kept.contacts.findById(contactId);
          if (known === undefined) return undefined;
          const properties = { ...known.properties, ...changes };
          const changed = { newId: contactId, phone: known.phone, properties };
          return (await kept.contacts.upsert(changed, 'replace')).contact;
        },
      },
    })),
  ],
  [
    'takes properties for known whose names objects have by themselves',
    'contacts: keep properties whose names objects have by themselves',
    altered((kept) => ({
      contacts: {
        upsert(contact, existing) {
          const properties = Object.entries(contact.properties).filter(([name]) => !(name in {}));
          return kept.contacts.upsert({ ...contact, properties: Object.fromEntries(properties) }, existing);
        },
      },
    })),
  ],
  [
    'changes the record that it has given away',
    'contacts: that were read stay as they were',
    altered((kept) => ({
      contacts: {
        async update(contactId, properties) {
          const known = await kept.contacts.findById(contactId);
          if (known !== undefined) Object.assign(known.properties, properties);
          return known;
        },
      },
    })),
  ],
  [
    'lists the newest contact first',
    'contacts: are listed in the order in which they were created',
    altered((kept) => ({ contacts: { list: async () => [...(await kept.contacts.list())].reverse() } })),
  ],
  [
    'says of contacts who are gone that it has deleted them',
    'contacts: are deleted once, and their phone is free again',
    altered((kept) => ({
      root: {
        async deleteContact(contactId) {
          await kept.deleteContact(contactId);
          return true;
        },
      },
    })),
  ],
];
