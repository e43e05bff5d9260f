import type { ContactProperties } from '../../contract/contact.js';
import type { ContactRecord } from '../../server/model/records.js';
import type { ContactStore, NewContact, UpsertedContact } from '../../server/store/contact-store.js';
import { numberIn } from '../database/rows.js';
import { toText } from '../database/text.js';
import type { ContactBatches } from './contact-batches.js';
import { contactColumns, contactIn } from './contact-rows.js';
import type { ReplicaContext } from './replica-context.js';

/** One workspace's contacts. */
export class Contacts implements ContactStore {
  readonly #context: ReplicaContext;
  readonly #batches: ContactBatches;
  readonly #workspaceId: string;

  constructor(context: ReplicaContext, batches: ContactBatches, workspaceId: string) {
    this.#context = context;
    this.#batches = batches;
    this.#workspaceId = workspaceId;
  }

  upsert(contact: NewContact, existing: 'merge' | 'replace'): Promise<UpsertedContact> {
    return this.#batches.upserts.add({ workspaceId: this.#workspaceId, contact, existing });
  }

  findById(contactId: string): Promise<ContactRecord | undefined> {
    return this.#batches.byId.add({ workspaceId: this.#workspaceId, key: contactId });
  }

  findByPhone(phone: string): Promise<ContactRecord | undefined> {
    return this.#batches.byPhone.add({ workspaceId: this.#workspaceId, key: phone });
  }

  update(contactId: string, properties: ContactProperties): Promise<ContactRecord | undefined> {
    return this.#batches.updates.add({ workspaceId: this.#workspaceId, contactId, properties });
  }

  async count(): Promise<number> {
    const [row] = await this.#context.database.query(
      `select count(*)
       from :schema.contacts c
       where c.workspace = (select number from :schema.workspaces where id = $1)`,
      [toText(this.#workspaceId)],
      'count_contacts',
    );
    return numberIn(row, 'count');
  }

  async list(): Promise<readonly ContactRecord[]> {
    const { database, setAside } = this.#context;
    const rows = await database.query(
      `select ${contactColumns}
       from :schema.workspaces w join :schema.contacts c on c.workspace = w.number
       where w.id = $1
       order by c.place`,
      [toText(this.#workspaceId)],
    );
    const read = await setAside.readAll('contacts', this.#workspaceId, rows, contactIn);
    return read.map(({ contact }) => contact);
  }
}
