import type { ContactProperties } from '../../contract/contact.js';
import type { Page, PageRange } from '../../server/model/page.js';
import type { ContactFilter, ContactRecord } from '../../server/model/records.js';
import type { ContactStore, NewContact, UpsertedContact } from '../../server/store/store.js';
import { numberIn } from '../database/rows.js';
import { toText } from '../database/text.js';
import { type ContactBatches, contactColumns, contactIn } from './contact-batches.js';
import { type Condition, type PagedTable, WorkspacePart } from './workspace-part.js';

/** One workspace's contacts. */
export class Contacts extends WorkspacePart<ContactBatches> implements ContactStore {
  upsert(contact: NewContact, existing: 'merge' | 'replace'): Promise<UpsertedContact> {
    return this.batches.upserts.add({ workspaceId: this.workspaceId, contact, existing });
  }

  findById(contactId: string): Promise<ContactRecord | undefined> {
    return this.batches.byId.add({ workspaceId: this.workspaceId, key: contactId });
  }

  findByPhone(phone: string): Promise<ContactRecord | undefined> {
    return this.batches.byPhone.add({ workspaceId: this.workspaceId, key: phone });
  }

  update(contactId: string, properties: ContactProperties): Promise<ContactRecord | undefined> {
    return this.batches.updates.add({ workspaceId: this.workspaceId, contactId, properties });
  }

  async count(): Promise<number> {
    const [row] = await this.context.database.query(
      `select count(*)
       from :schema.contacts c
       where c.workspace = (select number from :schema.workspaces where id = $1)`,
      [toText(this.workspaceId)],
      'count_contacts',
    );
    return numberIn(row, 'count');
  }

  page({ phone, consent, properties = {} }: ContactFilter, range: PageRange): Promise<Page<ContactRecord>> {
    const conditions: readonly Condition[] = [
      ['c.phone = ?', phone === undefined ? undefined : toText(phone)],
      ['c.consent = ?', consent],
      ['c.properties::text ~ all (?)', Object.entries(properties).map(patternOf)],
    ];
    return this.readPage(contactsByPlace, conditions, range);
  }
}

const contactsByPlace: PagedTable<ContactRecord> = {
  name: 'contacts',
  row: 'c',
  columns: contactColumns,
  size: 'octet_length(c.properties::text)',
  read: (row) => contactIn(row).contact,
};

/** Returns a pattern of JSON in which a property has a value, or is an array with the value. */
function patternOf([name, value]: readonly [name: string, value: string | number | boolean]): string {
  const literal = (text: string) => JSON.stringify(text).replace(/[^\w"\u{80}-\u{10ffff}]/gu, '\\$&');
  const wanted = literal(String(value));
  const isPlain = /^(true|false|-?\d.*)$/.test(String(value));
  const plain = isPlain ? `${wanted.slice(1, -1)}[,}]|` : '';
  const before = '("([^"\\\\]|\\\\.)*",)*';
  return `[{,]${literal(name)}:(${plain}${wanted}|\\[${before}${wanted}[,\\]])`;
}
