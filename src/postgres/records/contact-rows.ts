import type { ContactProperties } from '../../contract/contact.js';
import type { ContactRecord } from '../../server/model/records.js';
import type { Database } from '../database/connection.js';
import { rowsOf } from '../database/lists.js';
import { numberIn, objectIn, oneOfIn, textIn } from '../database/rows.js';
import { toText } from '../database/text.js';
import type { ReplicaContext } from './replica-context.js';

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
