import { randomUUID } from 'node:crypto';
import { readEntry, writeEntry } from '../../server/model/written-entry.js';
import type {
  JournalBatch,
  JournalPage,
  JournalStore,
  NumberedJournalEntry,
} from '../../server/store/shared-store.js';
import { isNullIn, numberIn, writtenIn } from '../database/rows.js';
import { rowsOf } from '../database/text.js';
import { isSame } from './replica-context.js';
import { WorkspacePart } from './workspace-part.js';

/** How many entries of a workspace are kept, and how many more can accumulate before the oldest are dropped together. */
const mostEntries = 10_000;
const slack = 1_000;

/** The size at which a read takes no further entry. In bytes. */
const bytesAtOnce = 8 * 1024 * 1024;

/**
 * The journal of a workspace.
 *
 * No work depends on the journal, so its transactions do not wait for the disk. If the database crashes, it can lose the entries
 * of up to a second, and assign their numbers again.
 */
export class PostgresJournal extends WorkspacePart implements JournalStore {
  readonly #writer = randomUUID();

  /** Appends entries. The row of a journal stays locked until the commit, so that the numbers have the order of the commits. */
  async append({ number, entries }: JournalBatch): Promise<void> {
    const { database, workspace, identity } = this.context;
    const [row] = await database.query(
      `
with fresh as (
  insert into :schema.journal_writers as known (workspace, writer, batch)
  select number, $2, $3 from :schema.workspaces where id = $1 and ${isSame('number', 5)}
  on conflict (workspace, writer) do update set batch = excluded.batch, written_at = default
  where known.batch < excluded.batch
  returning workspace
), counted as (
  insert into :schema.journals as journal (workspace, latest)
  select workspace, cardinality($4::text[]) from fresh
  on conflict (workspace) do update set latest = journal.latest + excluded.latest
  returning workspace, latest, latest_gone
), inserted as (
  insert into :schema.journal (workspace, number, entry)
  select workspace, latest - cardinality($4::text[]) + place, written::json
  from counted cross join ${rowsOf('$4::text[]')} as entry (written, place)
)
select
  workspace,
  latest - latest_gone as kept,
  :schema.tell($1, 'journal'),
  set_config('synchronous_commit', 'off', true)
from counted`,
      [
        workspace,
        this.#writer,
        number,
        entries.map((entry) => JSON.stringify(writeEntry(entry))),
        identity.number ?? null,
      ],
      'journal_append',
    );
    if (row !== undefined && numberIn(row, 'kept') > mostEntries + slack) {
      await this.#dropOldest(numberIn(row, 'workspace'));
    }
  }

  async readAfter(number: number, limit: number): Promise<JournalPage> {
    const { database, workspace, identity } = this.context;
    // Skip entries that should be gone: a concurrent deletion may not have seen them.
    const rows = await database.query(
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
      [workspace, number, limit, identity.number ?? null],
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

  async clear(): Promise<void> {
    const { database, workspace, identity } = this.context;
    await database.query(
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
      [workspace, identity.number ?? null],
    );
  }

  async #dropOldest(workspace: number): Promise<void> {
    const { database } = this.context;
    await database.query(
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
}
