import type { EventProperties } from '../../contract/event.js';
import type { Page, PageRange } from '../../server/model/page.js';
import type { EventRecord, JourneyRunRecord } from '../../server/model/records.js';
import type { Claim, ClaimedEvent, EventFields, EventStore } from '../../server/store/store.js';
import { Batch } from '../database/batch.js';
import { booleanIn, numberIn, objectIn, textIn } from '../database/rows.js';
import { lockPlaces, rowsOf, toText } from '../database/text.js';
import { claimOldest, release } from './leases.js';
import { type Condition, type PagedTable, WorkspacePart } from './workspace-part.js';

export const eventColumns = 'e.id, e.contact_id, e.event, e.properties::text, e.accepted_at';

/** One workspace's tracked events. */
export class PostgresEvents extends WorkspacePart implements EventStore {
  readonly #records = new Batch((events: readonly EventRecord[]) => this.#record(events));

  record(event: EventRecord): Promise<boolean> {
    return this.#records.add(event);
  }

  async claimNext(): Promise<ClaimedEvent | undefined> {
    const claimed = await claimOldest(
      this.context,
      'events',
      'not processed and (lease_until is null or lease_until <= clock_timestamp())',
      eventColumns,
      eventIn,
    );
    return claimed && { claim: claimed[0], event: claimed[1] };
  }

  release(claim: Claim): Promise<void> {
    return release(this.context, [{ ...claim, table: 'events', workspace: this.context.workspace }]);
  }

  async complete(claim: Claim, runs: readonly JourneyRunRecord[]): Promise<boolean> {
    const { database, workspace, held } = this.context;
    held.take(claim);
    const [row] = await database.query(
      'select :schema.complete_event($1, $2, $3, $4, $5, $6, $7, $8, $9) as completed',
      [
        workspace,
        toText(claim.id),
        toText(claim.token),
        runs.map(({ id }) => toText(id)),
        runs.map(({ contactId }) => toText(contactId)),
        runs.map(({ status }) => status),
        runs.map(({ dueAt }) => dueAt),
        runs.map(({ startedAt }) => startedAt),
        runs.map((run) => JSON.stringify(run)),
      ],
      'complete_event',
    );
    return booleanIn(row, 'completed');
  }

  async count(contactId: string, event: string, since: number): Promise<number> {
    const { database, workspace } = this.context;
    const [row] = await database.query(
      `select count(*)
       from :schema.workspaces w join :schema.events e on e.workspace = w.number
       where w.id = $1 and e.contact_id = $2 and hashtextextended(e.event, 0) = hashtextextended($3, 0)
         and e.event = $3 and e.accepted_at > $4 and e.processed`,
      [workspace, toText(contactId), toText(event), since],
      'count_events',
    );
    return numberIn(row, 'count');
  }

  page({ contactId, event }: EventFields, range: PageRange): Promise<Page<EventRecord>> {
    const conditions: readonly Condition[] = [
      ['e.contact_id = ?', contactId === undefined ? undefined : toText(contactId)],
      [
        'hashtextextended(e.event, 1) = hashtextextended(?, 1) and e.event = ?',
        event === undefined ? undefined : toText(event),
      ],
    ];
    return this.readPage(eventsByPlace, conditions, range);
  }

  /** Adds events. An output is false if the contact of the event does not exist. */
  async #record(events: readonly EventRecord[]): Promise<readonly boolean[]> {
    const { database, workspace } = this.context;
    const rows = await database.query(
      `with given as (
           select c.workspace, c.id as contact_id, g.id, g.event, g.accepted_at, g.properties, g.index
           from (
               select w.number as workspace, g.*, ${lockPlaces} as locked
               from ${rowsOf('$2::text[]', '$3::text[]', '$4::text[]', '$5::double precision[]', '$6::text[]')}
                   as g (id, contact_id, event, accepted_at, properties, index)
                 join :schema.workspaces w on w.id = $1
               offset 0
               for key share of w
             ) g
             join :schema.contacts c on c.workspace = g.workspace and c.id = g.contact_id
           order by c.id
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
        workspace,
        events.map(({ id }) => toText(id)),
        events.map(({ contactId }) => toText(contactId)),
        events.map(({ event }) => toText(event)),
        events.map(({ acceptedAt }) => acceptedAt),
        events.map(({ properties }) => JSON.stringify(properties)),
      ],
      'record_events',
    );
    const added = new Set(rows.map((row) => numberIn(row, 'index')));
    return events.map((_, index) => added.has(index + 1));
  }
}

const eventsByPlace: PagedTable<EventRecord> = {
  name: 'events',
  row: 'e',
  columns: eventColumns,
  size: 'octet_length(e.properties::text)',
  read: eventIn,
};

export function eventIn(row: unknown): EventRecord {
  return {
    id: textIn(row, 'id'),
    contactId: textIn(row, 'contact_id'),
    event: textIn(row, 'event'),
    properties: objectIn<EventProperties>(row, 'properties'),
    acceptedAt: numberIn(row, 'accepted_at'),
  };
}
