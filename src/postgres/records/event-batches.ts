import type { EventRecord } from '../../server/model/records.js';
import { Batch, byWorkspace } from '../database/batch.js';
import type { Database } from '../database/connection.js';
import { lockPlaces, rowsOf } from '../database/lists.js';
import { numberIn } from '../database/rows.js';
import { toText } from '../database/text.js';

interface Recorded {
  readonly workspaceId: string;
  readonly event: EventRecord;
}

/** Combines the events of many requests into one statement. */
export class EventBatches {
  /** Adds events. Returns false for an event whose contact does not exist. */
  readonly records: Batch<Recorded, boolean>;

  constructor(database: Database) {
    this.records = new Batch(async (recorded) => {
      const rows = await database.query(
        `with given as (
           select c.workspace, c.id as contact_id, g.id, g.event, g.accepted_at, g.properties, g.index
           from (
               select w.number as workspace, g.*, ${lockPlaces} as locked
               from ${rowsOf('$1::text[]', '$2::text[]', '$3::text[]', '$4::text[]', '$5::double precision[]', '$6::text[]')}
                   as g (workspace_id, id, contact_id, event, accepted_at, properties, index)
                 join :schema.workspaces w on w.id = g.workspace_id
               offset 0
               for key share of w
             ) g
             join :schema.contacts c on c.workspace = g.workspace and c.id = g.contact_id
           order by c.workspace, c.id
           for key share of c
         ),
         added as (
           insert into :schema.events (workspace, id, contact_id, event, accepted_at, properties)
           select g.workspace, g.id, g.contact_id, g.event, g.accepted_at, g.properties::json
           from given g
           order by g.index
         )
         select g.index::int from given g`,
        [
          recorded.map(({ workspaceId }) => toText(workspaceId)),
          recorded.map(({ event }) => toText(event.id)),
          recorded.map(({ event }) => toText(event.contactId)),
          recorded.map(({ event }) => toText(event.event)),
          recorded.map(({ event }) => event.acceptedAt),
          recorded.map(({ event }) => JSON.stringify(event.properties)),
        ],
        'record_events',
      );
      const added = new Set(rows.map((row) => numberIn(row, 'index')));
      return recorded.map((_, index) => added.has(index + 1));
    }, byWorkspace);
  }
}
