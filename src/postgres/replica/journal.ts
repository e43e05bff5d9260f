import { randomUUID } from 'node:crypto';
import { readEntry, writeEntry } from '../../server/model/written-entry.js';
import type { JournalPage, JournalStore, NumberedJournalEntry } from '../../server/store/shared-store.js';
import { Batch, byWorkspace } from '../database/batch.js';
import type { Database } from '../database/connection.js';
import { isNullIn, numberIn, writtenIn } from '../database/rows.js';
import { rowsOf, toText } from '../database/text.js';
import { isSame, type WorkspaceIdentity } from './replica-parts.js';

/** How many entries of a workspace are kept, and how many more can accumulate before the oldest are dropped together. */
const mostEntries = 10_000;
const slack = 1_000;

/** The size at which a read takes no further entry. In bytes. */
const bytesAtOnce = 8 * 1024 * 1024;

interface Appending {
  readonly workspaceId: string;
  readonly number: number | undefined;
  readonly writer: string;
  readonly batch: number;
  readonly entries: readonly string[];
}

/**
 * The journals of all workspaces. One statement writes concurrent entries.
 *
 * No work depends on the journal, so its transactions do not wait for the disk. If the database crashes, it can lose the entries
 * of up to a second, and assign their numbers again.
 */
export class Journals {
  readonly #database: Database;
  readonly #batch: Batch<Appending, undefined>;

  constructor(database: Database) {
    this.#database = database;
    this.#batch = new Batch(async (appendings) => {
      await this.#append(appendings);
      return appendings.map(() => undefined);
    }, byWorkspace(database));
  }

  of(workspaceId: string, identity: WorkspaceIdentity): JournalStore {
    const writer = randomUUID();
    return {
      append: async ({ number, entries }) => {
        if (entries.length === 0) return;
        await this.#batch.add({
          workspaceId,
          number: identity.number,
          writer,
          batch: number,
          entries: entries.map((entry) => JSON.stringify(writeEntry(entry))),
        });
      },
      readAfter: (number, limit) => this.#readAfter(workspaceId, identity, number, limit),
      clear: () => this.#clear(workspaceId, identity),
    };
  }

  /** Appends entries. The row of a journal stays locked until the commit, so that the numbers have the order of the commits. */
  async #append(appendings: readonly Appending[]): Promise<void> {
    const rows = await this.#database.query(
      `
with asked as (
  select w.number as workspace, w.id, entry.writer, entry.batch, entry.place, entry.written
  from ${rowsOf('$1::text[]', '$2::uuid[]', '$3::bigint[]', '$4::text[]', '$5::bigint[]')}
    as entry (workspace_id, writer, batch, written, workspace, place)
  join :schema.workspaces w on w.id = entry.workspace_id and w.number = coalesce(entry.workspace, w.number)
), fresh as (
  insert into :schema.journal_writers as known (workspace, writer, batch)
  select distinct workspace, writer, batch from asked order by workspace, writer
  on conflict (workspace, writer) do update set batch = excluded.batch, written_at = default
  where known.batch < excluded.batch
  returning workspace, writer
), added as (
  select asked.* from asked join fresh using (workspace, writer)
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
        appendings.flatMap(({ writer, entries }) => entries.map(() => writer)),
        appendings.flatMap(({ batch, entries }) => entries.map(() => batch)),
        appendings.flatMap(({ entries }) => entries),
        appendings.flatMap(({ number, entries }) => entries.map(() => number ?? null)),
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
  returning latest_gone
)
delete from :schema.journal
where workspace = $1 and number = any (array(
  select entry.number
  from :schema.journal entry, shortened
  where entry.workspace = $1 and entry.number <= shortened.latest_gone
  order by entry.number
  limit $2
))`,
      [workspace, mostEntries],
    );
  }

  async #readAfter(
    workspaceId: string,
    identity: WorkspaceIdentity,
    number: number,
    limit: number,
  ): Promise<JournalPage> {
    // Skip entries that should be gone: a concurrent deletion may not have seen them.
    const rows = await this.#database.query(
      `
with recursive journal as (
  select journal.*
  from :schema.workspaces w join :schema.journals journal on journal.workspace = w.number
  where w.id = $1 and ${isSame('w.number', 4)}
), read as (
  select workspace, greatest($2, latest_gone) as number, null as written, 0 as count, 0::bigint as bytes from journal
  union all
  select read.workspace, next.number, next.written, read.count + 1, read.bytes + octet_length(next.written)
  from read, lateral (
    select entry.number, entry.entry::text as written
    from :schema.journal entry
    where entry.workspace = read.workspace and entry.number > read.number
    order by entry.number
    limit 1
  ) next
  where read.count < $3 and read.bytes < ${bytesAtOnce}
)
select latest, latest_gone, clears, number, written
from journal left join read on read.count > 0
order by number`,
      [toText(workspaceId), number, limit, identity.number ?? null],
      'journal_read',
    );
    const [first] = rows;
    if (first === undefined) return { entries: [], latest: 0, latestGone: 0, clears: 0 };
    return {
      entries: rows.flatMap((row): NumberedJournalEntry[] =>
        isNullIn(row, 'number')
          ? []
          : [[numberIn(row, 'number'), readEntry(JSON.parse(writtenIn(row, 'written')))]],
      ),
      latest: numberIn(first, 'latest'),
      latestGone: numberIn(first, 'latest_gone'),
      clears: numberIn(first, 'clears'),
    };
  }

  async #clear(workspaceId: string, identity: WorkspaceIdentity): Promise<void> {
    await this.#database.query(
      `
with cleared as (
  insert into :schema.journals as journal (workspace, clears)
  select number, 1 from :schema.workspaces where id = $1 and ${isSame('number', 2)}
  on conflict (workspace) do update set latest_gone = journal.latest, clears = journal.clears + 1
  returning workspace
), deleted as (
  delete from :schema.journal using cleared where journal.workspace = cleared.workspace
)
select :schema.tell($1, 'journal') from cleared`,
      [toText(workspaceId), identity.number ?? null],
    );
  }
}
