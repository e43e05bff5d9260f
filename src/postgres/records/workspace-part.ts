import { type Page, type PageRange, pageBytes } from '../../server/model/page.js';
import { isNullIn, numberIn } from '../database/rows.js';
import { toText } from '../database/text.js';
import type { Condition, PagedTable } from './pages.js';
import type { ReplicaContext } from './replica-context.js';

/** The records of one kind of a workspace. */
export abstract class WorkspacePart<Batches> {
  protected readonly context: ReplicaContext;
  protected readonly workspaceId: string;
  /** What combines the calls of all workspaces. */
  protected readonly batches: Batches;

  constructor(context: ReplicaContext, workspaceId: string, batches: Batches) {
    this.context = context;
    this.workspaceId = workspaceId;
    this.batches = batches;
  }

  /** Reads a page of the records that meet the conditions, in the order of their places. */
  protected async readPage<Kept>(
    { name, row, columns, size, read }: PagedTable<Kept>,
    conditions: readonly Condition[],
    { after, limit }: PageRange,
  ): Promise<Page<Kept>> {
    const { database, setAside } = this.context;
    const nothing: Page<Kept> = { data: [], more: false, cursor: String(after) };
    const [end] = await database.query(
      'select workspace, place from :schema.last_place($1, $2)',
      [toText(this.workspaceId), name],
      'last_place',
    );
    if (end === undefined || isNullIn(end, 'place')) return nothing;
    const values: unknown[] = [];
    const where = conditions
      .filter(([, value]) => value !== undefined)
      .map(([sql, value]) => {
        if (sql.includes('?')) values.push(value);
        return ` and ${sql.replaceAll('?', `$${values.length + 3}`)}`;
      });
    const rows = await database.query(
      `select *
       from (
         select *, count(*) over () as found, sum(size) over (order by place) - size as before
         from (
           select ${columns}, place, ${size} as size
           from :schema.${name} ${row}
           where workspace = $1 and place > $2${where.join('')}
           order by place
           limit $3
         ) counted
       ) sized
       where before < ${pageBytes}
       order by place`,
      [numberIn(end, 'workspace'), after, limit + 1, ...values],
      `page_of_${name}`,
    );
    const [first] = rows;
    if (first === undefined) return nothing;
    // Not a condition of the statement, because the planner would expect that it leaves few rows.
    const shown = rows.slice(0, limit).filter((each) => numberIn(each, 'place') <= numberIn(end, 'place'));
    return {
      data: await setAside.readAll(name, this.workspaceId, shown, read),
      more: numberIn(first, 'found') > shown.length,
      cursor: String(shown.length === 0 ? after : numberIn(shown.at(-1), 'place')),
    };
  }
}
