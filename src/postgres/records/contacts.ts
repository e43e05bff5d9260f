import type { ContactProperties } from '../../contract/contact.js';
import type { Page, PageRange } from '../../server/model/page.js';
import type { ContactFilter, ContactRecord } from '../../server/model/records.js';
import {
  type ContactStore,
  idTaken,
  type NewContact,
  type UpsertedContact,
} from '../../server/store/store.js';
import { Batch, type CallOutput, conflict, type Group, grouped, type Indexed } from '../database/batch.js';
import { isDuplicate } from '../database/errors.js';
import { booleanIn, isNullIn, numberIn, objectIn, oneOfIn, textIn } from '../database/rows.js';
import { lockPlaces, rowsOf, toText } from '../database/text.js';
import { missingWorkspace } from './replica-context.js';
import { type Condition, type PagedTable, WorkspacePart } from './workspace-part.js';

/** A contact and its version. */
export interface ReadContact {
  readonly contact: ContactRecord;
  readonly version: number;
}

export const contactColumns = 'c.id, c.phone, c.consent, c.properties::text, c.version';

export function contactIn(row: unknown): ReadContact {
  return {
    contact: {
      id: textIn(row, 'id'),
      phone: textIn(row, 'phone'),
      properties: objectIn<ContactProperties>(row, 'properties'),
      consent: oneOfIn(row, 'consent', ['unknown', 'opted_in', 'opted_out']),
    },
    version: numberIn(row, 'version'),
  };
}

/** A change of the contact with an id or a phone. */
interface Change<Known> {
  readonly key: string;
  readonly apply: (known: Known) => UpsertedContact;
}

/** A contact as it was read, and its changes. */
interface Changing {
  readonly read: ReadContact;
  readonly group: Group<Change<ContactRecord>>;
}

/** One workspace's contacts. */
export class PostgresContacts extends WorkspacePart implements ContactStore {
  readonly #byId = new Batch((ids: readonly string[]) => this.#read('id', ids));
  readonly #byPhone = new Batch((phones: readonly string[]) => this.#read('phone', phones));
  readonly #upserts = new Batch((changes: readonly Change<ContactRecord | undefined>[]) =>
    this.#upsert(changes),
  );
  readonly #updates = new Batch((changes: readonly Change<ContactRecord>[]) => this.#update(changes));

  upsert(contact: NewContact, existing: 'merge' | 'replace'): Promise<UpsertedContact> {
    return this.#upserts.add({
      key: contact.phone,
      apply: (known) => upsertedContact(known, contact, existing),
    });
  }

  async findById(contactId: string): Promise<ContactRecord | undefined> {
    return (await this.#byId.add(contactId))?.contact;
  }

  async findByPhone(phone: string): Promise<ContactRecord | undefined> {
    return (await this.#byPhone.add(phone))?.contact;
  }

  async update(contactId: string, properties: ContactProperties): Promise<ContactRecord | undefined> {
    const updated = await this.#updates.add({
      key: contactId,
      apply: (known) => ({ contact: merged(known, properties), created: false }),
    });
    return updated?.contact;
  }

  async count(): Promise<number> {
    const { database, workspace } = this.context;
    const [row] = await database.query(
      `select count(*)
       from :schema.contacts c
       where c.workspace = (select number from :schema.workspaces where id = $1)`,
      [workspace],
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

  /** Reads the contacts with these ids or phones, in the order of the keys. */
  async #read(by: 'id' | 'phone', keys: readonly string[]): Promise<readonly (ReadContact | undefined)[]> {
    const { database, workspace, setAside } = this.context;
    const rows = await database.query(
      `select g.index::int, ${contactColumns}
       from ${rowsOf('$2::text[]')} as g (key, index)
         join :schema.workspaces w on w.id = $1
         join :schema.contacts c on c.workspace = w.number and c.${by} = g.key`,
      [workspace, keys.map(toText)],
      `contacts_by_${by}`,
    );
    const found = new Map(rows.map((row) => [numberIn(row, 'index') - 1, row]));
    return Promise.all(
      keys.map((_, index) => {
        const row = found.get(index);
        return row === undefined ? undefined : setAside.read('contacts', row, contactIn);
      }),
    );
  }

  async #upsert(
    changes: readonly Change<ContactRecord | undefined>[],
  ): Promise<readonly CallOutput<UpsertedContact>[]> {
    const groups = grouped(changes.entries(), ({ key }) => key);
    const asNew = groups.map((group) => changedInTurn(undefined, group));
    const states = await this.#addOrRead(asNew.map(({ contact }) => contact));
    const added = asNew.filter((_, place) => states[place] === 'added');
    const changing = groups.flatMap((group, place): Changing[] => {
      const read = states[place];
      return typeof read === 'object' ? [{ read, group }] : [];
    });
    const outputs = new Map<number, CallOutput<UpsertedContact>>(await this.#change(changing));
    for (const [index, output] of added.flatMap((each) => each.outputs)) outputs.set(index, output);
    return changes.map((_, index) => outputs.get(index) ?? conflict);
  }

  async #update(
    changes: readonly Change<ContactRecord>[],
  ): Promise<readonly CallOutput<UpsertedContact | undefined>[]> {
    const groups = grouped(changes.entries(), ({ key }) => key);
    const keys = groups.map(([[, { key }]]) => key);
    const found = await this.#read('id', keys);
    const changing = groups.flatMap((group, place): Changing[] => {
      const read = found[place];
      return read === undefined ? [] : [{ read, group }];
    });
    const outputs = new Map(await this.#change(changing));
    return changes.map((_, index) => outputs.get(index));
  }

  /**
   * Adds the contacts with new phones, and reads the others. Undefined if another one was added meanwhile, or one cannot be read,
   * which is then gone.
   */
  async #addOrRead(
    contacts: readonly ContactRecord[],
  ): Promise<readonly ('added' | ReadContact | undefined)[]> {
    const { database, workspace, setAside } = this.context;
    const adding = database.query(
      `with given as materialized (
         select w.number as workspace, g.id as new_id, g.phone as given_phone, g.properties as new_properties, g.index,
           c.id, c.phone, c.consent, c.properties, c.version, ${lockPlaces} as locked
         from ${rowsOf('$2::text[]', '$3::text[]', '$4::text[]')} as g (id, phone, properties, index)
           join :schema.workspaces w on w.id = $1
           left join :schema.contacts c on c.workspace = w.number and c.phone = g.phone
         for key share of w
       ),
       added as (
         insert into :schema.contacts (workspace, id, phone, properties)
         select c.workspace, c.new_id, c.given_phone, c.new_properties::json
         from given c
         where c.id is null
         order by c.given_phone
         on conflict (workspace, phone) do nothing
         returning phone
       )
       select c.given_phone in (select a.phone from added a) as added, ${contactColumns}
       from given c
       order by c.index`,
      [
        workspace,
        contacts.map(({ id }) => toText(id)),
        contacts.map(({ phone }) => toText(phone)),
        contacts.map(({ properties }) => JSON.stringify(properties)),
      ],
      'add_or_read_contacts',
    );
    const rows = await adding.catch(refuseTakenId);
    if (rows.length === 0) throw missingWorkspace();
    return Promise.all(
      rows.map((row) => {
        if (booleanIn(row, 'added')) return 'added';
        return isNullIn(row, 'id') ? undefined : setAside.read('contacts', row, contactIn);
      }),
    );
  }

  /** Changes contacts, and returns the outputs. An output is a conflict if its contact has changed since it was read. */
  async #change(changing: readonly Changing[]): Promise<readonly Indexed<CallOutput<UpsertedContact>>[]> {
    const changes = changing.map(({ read, group }) => ({ read, ...changedInTurn(read.contact, group) }));
    const unlike = changes.filter(({ read, contact }) => !isSame(read.contact, contact));
    const replaced = unlike.length === 0 ? new Set<number>() : await this.#replaceProperties(unlike);
    const lost = new Set(unlike.filter((_, place) => !replaced.has(place)));
    return changes.flatMap((change) =>
      change.outputs.map(([index, output]) => [index, lost.has(change) ? conflict : output] as const),
    );
  }

  /** Replaces the properties of the contacts that have not changed since they were read. Returns their indexes. */
  async #replaceProperties(
    contacts: readonly { readonly read: ReadContact; readonly contact: ContactRecord }[],
  ): Promise<ReadonlySet<number>> {
    const { database, workspace } = this.context;
    const rows = await database.query(
      `with found as (
         select c.workspace, c.id, c.version, g.properties, g.index
         from ${rowsOf('$2::text[]', '$3::bigint[]', '$4::text[]')} as g (id, version, properties, index)
           join :schema.workspaces w on w.id = $1
           join :schema.contacts c on c.workspace = w.number and c.id = g.id and c.version = g.version
         order by c.id
         for no key update of c
       )
       update :schema.contacts c
       set properties = f.properties::json, version = c.version + 1
       from found f
       where c.workspace = f.workspace and c.id = f.id and c.version = f.version
       returning f.index::int`,
      [
        workspace,
        contacts.map(({ contact }) => toText(contact.id)),
        contacts.map(({ read }) => read.version),
        contacts.map(({ contact }) => JSON.stringify(contact.properties)),
      ],
      'replace_properties',
    );
    return new Set(rows.map((row) => numberIn(row, 'index') - 1));
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

/** Changes a contact several times. Returns the contact after the changes, and the output of each. */
function changedInTurn<Known extends ContactRecord | undefined>(
  known: Known,
  [[firstIndex, first], ...others]: Group<Change<Known | ContactRecord>>,
) {
  let changed = first.apply(known);
  const outputs: Indexed<UpsertedContact>[] = [[firstIndex, changed]];
  for (const [index, { apply }] of others) {
    changed = apply(changed.contact);
    outputs.push([index, changed]);
  }
  return { contact: changed.contact, outputs };
}

/** @throws Error `idTaken` if the statement adds a contact with the id of another one. */
export function refuseTakenId(error: unknown): never {
  throw isDuplicate(error, 'contacts_pkey') ? idTaken() : error;
}

/** Returns the result of an upsert, for an existing contact or none. */
export function upsertedContact(
  known: ContactRecord | undefined,
  { newId, phone, properties }: NewContact,
  existing: 'merge' | 'replace',
): UpsertedContact {
  if (known === undefined) {
    return { contact: { id: newId, phone, properties, consent: 'unknown' }, created: true };
  }
  const contact = existing === 'merge' ? merged(known, properties) : { ...known, properties };
  return { contact, created: false };
}

/** Whether a change leaves the contact unchanged. */
export function isSame(before: ContactRecord, after: ContactRecord): boolean {
  return (
    before.consent === after.consent && JSON.stringify(before.properties) === JSON.stringify(after.properties)
  );
}

function merged(contact: ContactRecord, properties: ContactProperties): ContactRecord {
  return { ...contact, properties: { ...contact.properties, ...properties } };
}
