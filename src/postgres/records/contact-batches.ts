import type { ContactProperties } from '../../contract/contact.js';
import type { ContactRecord } from '../../server/model/records.js';
import type { NewContact, UpsertedContact } from '../../server/store/store.js';
import {
  Batch,
  byWorkspace,
  Failure,
  type Group,
  grouped,
  inRounds,
  type Outputs,
  type Pending,
} from '../database/batch.js';
import type { Database } from '../database/connection.js';
import { booleanIn, isNullIn, numberIn, objectIn, oneOfIn, textIn } from '../database/rows.js';
import { lockPlaces, rowsOf, toText } from '../database/text.js';
import { missingWorkspace, type ReplicaContext } from './replica-context.js';

/** A contact and its version. */
export interface ReadContact {
  readonly contact: ContactRecord;
  readonly version: number;
}

/** The id or phone of a contact in a workspace. */
export interface ContactKey {
  readonly workspaceId: string;
  readonly key: string;
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

/** Reads the contacts with these ids or phones, in the order of the keys. */
export async function readContacts(
  { database, setAside }: ReplicaContext,
  by: 'id' | 'phone',
  keys: readonly ContactKey[],
): Promise<readonly (ReadContact | undefined)[]> {
  const rows = await database.query(
    `select g.index::int, ${contactColumns}
     from ${rowsOf('$1::text[]', '$2::text[]')} as g (workspace_id, key, index)
       join :schema.workspaces w on w.id = g.workspace_id
       join :schema.contacts c on c.workspace = w.number and c.${by} = g.key`,
    [keys.map(({ workspaceId }) => toText(workspaceId)), keys.map(({ key }) => toText(key))],
    `contacts_by_${by}`,
  );
  const found = new Map(rows.map((row) => [numberIn(row, 'index') - 1, row]));
  return Promise.all(
    keys.map(({ workspaceId }, index) => {
      const row = found.get(index);
      return row === undefined ? undefined : setAside.read('contacts', workspaceId, row, contactIn);
    }),
  );
}

/** Replaces the properties of the contacts that have not changed since they were read. Returns their indexes. */
export async function replaceProperties(
  database: Database,
  contacts: readonly (ReadContact & { readonly workspaceId: string })[],
): Promise<ReadonlySet<number>> {
  const rows = await database.query(
    `with found as (
       select c.workspace, c.id, c.version, g.properties, g.index
       from ${rowsOf('$1::text[]', '$2::text[]', '$3::bigint[]', '$4::text[]')}
           as g (workspace_id, id, version, properties, index)
         join :schema.workspaces w on w.id = g.workspace_id
         join :schema.contacts c on c.workspace = w.number and c.id = g.id and c.version = g.version
       order by c.workspace, c.id
       for no key update of c
     )
     update :schema.contacts c
     set properties = f.properties::json, version = c.version + 1
     from found f
     where c.workspace = f.workspace and c.id = f.id and c.version = f.version
     returning f.index::int`,
    [
      contacts.map(({ workspaceId }) => toText(workspaceId)),
      contacts.map(({ contact }) => toText(contact.id)),
      contacts.map(({ version }) => version),
      contacts.map(({ contact }) => JSON.stringify(contact.properties)),
    ],
    'replace_properties',
  );
  return new Set(rows.map((row) => numberIn(row, 'index') - 1));
}

interface Upsert {
  readonly workspaceId: string;
  readonly contact: NewContact;
  readonly existing: 'merge' | 'replace';
}

interface Update {
  readonly workspaceId: string;
  readonly contactId: string;
  readonly properties: ContactProperties;
}

/** A contact after several changes, and the output of each change. */
interface Folded<Output> {
  readonly workspaceId: string;
  readonly contact: ContactRecord;
  readonly outputs: readonly (readonly [index: number, output: Output])[];
}

/** Combines the changes of contacts by many requests into few statements. */
export class ContactBatches {
  readonly upserts: Batch<Upsert, UpsertedContact>;
  readonly updates: Batch<Update, ContactRecord | undefined>;
  readonly byId: Batch<ContactKey, ContactRecord | undefined>;
  readonly byPhone: Batch<ContactKey, ContactRecord | undefined>;
  readonly #context: ReplicaContext;

  constructor(context: ReplicaContext) {
    this.#context = context;
    const perWorkspace = byWorkspace(context.database);
    this.upserts = new Batch((inputs) => inRounds(inputs, (pending) => this.#upsert(pending)), perWorkspace);
    this.updates = new Batch((inputs) => inRounds(inputs, (pending) => this.#update(pending)), perWorkspace);
    this.byId = new Batch((keys) => this.#find('id', keys));
    this.byPhone = new Batch((keys) => this.#find('phone', keys));
  }

  async #find(by: 'id' | 'phone', keys: readonly ContactKey[]) {
    return (await readContacts(this.#context, by, keys)).map((found) => found?.contact);
  }

  async #upsert(pending: readonly Pending<Upsert>[]): Promise<Outputs<UpsertedContact>> {
    const groups = grouped(pending, ({ workspaceId, contact }) => [workspaceId, contact.phone]);
    const asNew = groups.map((group) => upsertedInTurn(undefined, group));
    const found = await this.#addOrRead(asNew);
    const outputs = new Map<number, UpsertedContact | Failure>();
    const changes: { readonly read: ReadContact; readonly folded: Folded<UpsertedContact> }[] = [];
    for (const [place, group] of groups.entries()) {
      const state = found.get(place);
      if (state === 'added') {
        for (const [index, output] of asNew[place]?.outputs ?? []) outputs.set(index, output);
      } else if (state === undefined) {
        for (const { index } of group) outputs.set(index, new Failure(missingWorkspace()));
      } else if (state !== 'added meanwhile') {
        changes.push({ read: state, folded: upsertedInTurn(state.contact, group) });
      }
    }
    for (const [index, output] of await this.#saved(changes)) outputs.set(index, output);
    return outputs;
  }

  async #update(pending: readonly Pending<Update>[]): Promise<Outputs<ContactRecord | undefined>> {
    const groups = grouped(pending, ({ workspaceId, contactId }) => [workspaceId, contactId]);
    const found = await readContacts(
      this.#context,
      'id',
      groups.map(([{ input }]) => ({ workspaceId: input.workspaceId, key: input.contactId })),
    );
    const outputs = new Map<number, ContactRecord | undefined>();
    const changes: { readonly read: ReadContact; readonly folded: Folded<ContactRecord> }[] = [];
    for (const [place, group] of groups.entries()) {
      const read = found[place];
      if (read === undefined) for (const { index } of group) outputs.set(index, undefined);
      else changes.push({ read, folded: updatedInTurn(read.contact, group) });
    }
    for (const [index, output] of await this.#saved(changes)) outputs.set(index, output);
    return outputs;
  }

  /**
   * Adds the contacts with new phones, and reads the others. The result has the index of the input, unless the workspace does not
   * exist. A contact that cannot be read is gone, as if another one was added meanwhile.
   */
  async #addOrRead(
    contacts: readonly Folded<unknown>[],
  ): Promise<ReadonlyMap<number, 'added' | 'added meanwhile' | ReadContact>> {
    const { database, setAside } = this.#context;
    const rows = await database.query(
      `with given as materialized (
         select w.number as workspace, g.id as new_id, g.phone as given_phone, g.properties as new_properties, g.index,
           c.id, c.phone, c.consent, c.properties, c.version, ${lockPlaces} as locked
         from ${rowsOf('$1::text[]', '$2::text[]', '$3::text[]', '$4::text[]')}
             as g (workspace_id, id, phone, properties, index)
           join :schema.workspaces w on w.id = g.workspace_id
           left join :schema.contacts c on c.workspace = w.number and c.phone = g.phone
         for key share of w
       ),
       added as (
         insert into :schema.contacts (workspace, id, phone, properties)
         select c.workspace, c.new_id, c.given_phone, c.new_properties::json
         from given c
         where c.id is null
         order by c.workspace, c.given_phone
         on conflict (workspace, phone) do nothing
         returning workspace, phone
       )
       select c.index::int, (c.workspace, c.given_phone) in (select a.workspace, a.phone from added a) as added, ${contactColumns}
       from given c`,
      [
        contacts.map(({ workspaceId }) => toText(workspaceId)),
        contacts.map(({ contact }) => toText(contact.id)),
        contacts.map(({ contact }) => toText(contact.phone)),
        contacts.map(({ contact }) => JSON.stringify(contact.properties)),
      ],
      'add_or_read_contacts',
    );
    const states = new Map<number, 'added' | 'added meanwhile' | ReadContact>();
    for (const row of rows) {
      const place = numberIn(row, 'index') - 1;
      const workspaceId = contacts[place]?.workspaceId ?? '';
      const read = isNullIn(row, 'id')
        ? undefined
        : await setAside.read('contacts', workspaceId, row, contactIn);
      states.set(place, booleanIn(row, 'added') ? 'added' : (read ?? 'added meanwhile'));
    }
    return states;
  }

  /** Returns the outputs of the changes without a conflict. */
  async #saved<Output>(
    changes: readonly { readonly read: ReadContact; readonly folded: Folded<Output> }[],
  ): Promise<readonly (readonly [index: number, output: Output])[]> {
    const changing = changes.filter(({ read, folded }) => !isSame(read.contact, folded.contact));
    const replaced =
      changing.length === 0
        ? new Set<number>()
        : await replaceProperties(
            this.#context.database,
            changing.map(({ read, folded: { workspaceId, contact } }) => ({
              workspaceId,
              contact,
              version: read.version,
            })),
          );
    const lost = new Set(changing.filter((_, place) => !replaced.has(place)));
    return changes.filter((change) => !lost.has(change)).flatMap(({ folded }) => folded.outputs);
  }
}

function upsertedInTurn(
  known: ContactRecord | undefined,
  [first, ...others]: Group<Upsert>,
): Folded<UpsertedContact> {
  let upserted = upsertedContact(known, first.input.contact, first.input.existing);
  const outputs: [number, UpsertedContact][] = [[first.index, upserted]];
  for (const { index, input } of others) {
    upserted = upsertedContact(upserted.contact, input.contact, input.existing);
    outputs.push([index, upserted]);
  }
  return { workspaceId: first.input.workspaceId, contact: upserted.contact, outputs };
}

function updatedInTurn(known: ContactRecord, group: Group<Update>): Folded<ContactRecord> {
  let contact = known;
  const outputs = group.map(({ index, input }): [number, ContactRecord] => {
    contact = merged(contact, input.properties);
    return [index, contact];
  });
  return { workspaceId: group[0].input.workspaceId, contact, outputs };
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
