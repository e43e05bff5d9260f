import type { JournalEntry } from '../../server/model/journal-entry.js';
import type { JournalPage, JournalStore, NumberedJournalEntry } from '../../server/store/journal-store.js';
import { Batch } from '../database/batch.js';
import type { Database } from '../database/connection.js';
import { isNullIn, numberIn, writtenIn } from '../database/rows.js';
import { toText } from '../database/text.js';
import { readEntry, writeEntry } from './journal-codec.js';

/** How many entries of a workspace are kept, and how many more there may be until the oldest are dropped together. */
const mostEntries = 10_000;
const slack = 1_000;

interface Appending {
  readonly workspaceId: string;
  readonly entries: readonly string[];
}

/**
 * The journals of all workspaces. What is appended at the same time goes in one statement.
 *
 * The journal is an observation, so its transactions do not wait for the disk. A database that stops hard can lose the last
 * entries, up to a second of them, and give their numbers again.
 */
export class Journals {
  readonly #database: Database;
  readonly #batch: Batch<Appending, undefined>;

  constructor(database: Database) {
    this.#database = database;
    this.#batch = new Batch(async (appendings) => {
      await this.#append(appendings);
      return appendings.map(() => undefined);
    });
  }

  of(workspaceId: string): JournalStore {
    return {
      append: async (entries: readonly JournalEntry[]) => {
        if (entries.length > 0) await this.#batch.add({ workspaceId, entries: entries.map(writeEntry) });
      },
      readAfter: (number, limit) => this.#readAfter(workspaceId, number, limit),
      clear: () => this.#clear(workspaceId),
    };
  }

  /** The row of a journal is locked until the commit: so the numbers are in the order of the commits. */
  async #append(appendings: readonly Appending[]): Promise<void> {
    const rows = await this.#database.query(
      `
with added as (
  select w.number as workspace, w.id, entry.place, entry.written
  from unnest($1::text[], $2::text[]) with ordinality as entry (workspace_id, written, place)
  join :schema.workspaces w on w.id = entry.workspace_id
), counted as (
  select workspace, id, count(*) as count from added group by workspace, id
), counted_on as (
  insert into :schema.journals as journal (workspace, latest)
  select workspace, count from counted order by workspace
  on conflict (workspace) do update set latest = journal.latest + excluded.latest
  returning workspace, latest, latest_gone
), inserted as (
  insert into :schema.journal (workspace, number, entry)
  select
    workspace,
    counted_on.latest - counted.count + row_number() over (partition by workspace order by added.place),
    added.written::json
  from added
  join counted using (workspace)
  join counted_on using (workspace)
)
select
  workspace,
  counted_on.latest - counted_on.latest_gone as kept,
  :schema.tell(counted.id, 'journal'),
  set_config('synchronous_commit', 'off', true)
from counted_on
join counted using (workspace)`,
      [
        appendings.flatMap(({ workspaceId, entries }) => entries.map(() => toText(workspaceId))),
        appendings.flatMap(({ entries }) => entries),
      ],
      'journal_append',
    );
    for (const row of rows) {
      if (numberIn(row, 'kept') > mostEntries + slack) await this.#dropOldest(numberIn(row, 'workspace'));
    }
  }

  async #dropOldest(workspace: number): Promise<void> {
    await this.#database.query(
      `
with shortened as (
  update :schema.journals
  set latest_gone = greatest(latest_gone, latest - $2)
  where workspace = $1
  returning workspace, latest_gone
)
delete from :schema.journal
using shortened
where journal.workspace = shortened.workspace and journal.number <= shortened.latest_gone`,
      [workspace, mostEntries],
    );
  }

  async #readAfter(workspaceId: string, number: number, limit: number): Promise<JournalPage> {
    // An entry that is gone can still be there: its deletion did not see it.
    const rows = await this.#database.query(
      `
select journal.latest, journal.latest_gone, journal.clears, entry.number, entry.entry::text as written
from :schema.workspaces w
join :schema.journals journal on journal.workspace = w.number
left join lateral (
  select entry.number, entry.entry
  from :schema.journal entry
  where entry.workspace = journal.workspace and entry.number > greatest($2, journal.latest_gone)
  order by entry.number
  limit $3
) entry on true
where w.id = $1
order by entry.number`,
      [toText(workspaceId), number, limit],
      'journal_read',
    );
    const [first] = rows;
    if (first === undefined) return { entries: [], latest: 0, latestGone: 0, clears: 0 };
    return {
      entries: rows.flatMap((row): NumberedJournalEntry[] =>
        isNullIn(row, 'number') ? [] : [[numberIn(row, 'number'), readEntry(writtenIn(row, 'written'))]],
      ),
      latest: numberIn(first, 'latest'),
      latestGone: numberIn(first, 'latest_gone'),
      clears: numberIn(first, 'clears'),
    };
  }

  async #clear(workspaceId: string): Promise<void> {
    await this.#database.query(
      `
with cleared as (
  insert into :schema.journals as journal (workspace, clears)
  select number, 1 from :schema.workspaces where id = $1
  on conflict (workspace) do update set latest_gone = journal.latest, clears = journal.clears + 1
  returning workspace
), deleted as (
  delete from :schema.journal using cleared where journal.workspace = cleared.workspace
)
select :schema.tell($1, 'journal') from cleared`,
      [toText(workspaceId)],
    );
  }
}
