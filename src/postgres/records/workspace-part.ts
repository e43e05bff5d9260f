import { type Page, type PageRange, pageBytes } from '../../server/model/page.js';
import { isNullIn, numberIn } from '../database/rows.js';
import type { RecordsContext } from './replica-context.js';

/** A table of records, for pages of it. */
export interface PagedTable<Kept> {
  readonly name: 'contacts' | 'deliveries' | 'events' | 'journey_runs' | 'sends';
  /** The name of a row in the SQL of `columns`, `size` and the conditions. */
  readonly row: string;
  /** SQL: where the rows come from. Default: the table. */
  readonly from?: string;
  /** SQL: the order of the places, as an index has it. Default: the place of the row. */
  readonly order?: string;
  readonly columns: string;
  /** The size of the row in bytes. */
  readonly size: string;
  readonly read: (row: unknown) => Kept;
}

/** An SQL condition, which can contain its value as `?`. It applies if the value is not undefined. */
export type Condition = readonly [sql: string, value: unknown];

/**
 * Returns the SQL of whether a text contains a name and its value, as `nameAndValue` writes them. It decodes no JSON, because that can
 * contain what a text column cannot. The index finds hashes, because a value can be too long for it.
 */
export function isWritten(text: string, name: string, wanted = '?'): string {
  return `:schema.hash_of(${text}, '${name}') = :schema.hash_of(${wanted}, '${name}') and strpos(${text}, ${wanted}) > 0`;
}

/** Returns a name and its value as in JSON. */
export function nameAndValue(name: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : `${JSON.stringify(name)}:${JSON.stringify(value)}`;
}

/** The records of one kind of a workspace. */
export abstract class WorkspacePart {
  protected readonly context: RecordsContext;

  constructor(context: RecordsContext) {
    this.context = context;
  }

  /**
   * Reads a page of the records that meet the conditions, in the order of their places.
   *
   * @param prepare - Prepares the rows, after it is known which are the last ones.
   */
  protected async readPage<Kept>(
    table: PagedTable<Kept>,
    conditions: readonly Condition[],
    { after, limit }: PageRange,
    prepare = async () => {},
  ): Promise<Page<Kept>> {
    const { database, workspace, setAside } = this.context;
    const { name, row, from = `:schema.${name} ${row}`, order = `${row}.place`, columns, size, read } = table;
    const nothing: Page<Kept> = { data: [], more: false, cursor: String(after) };
    const [end] = await database.query(
      'select workspace, place from :schema.last_place($1, $2)',
      [workspace, name],
      'last_place',
    );
    if (end === undefined || isNullIn(end, 'place')) return nothing;
    await prepare();
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
           select ${columns}, ${row}.place, ${size} as size
           from ${from}
           where ${row}.workspace = $1 and ${row}.place > $2${where.join('')}
           order by ${order}
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
      data: await setAside.readAll(name, shown, read),
      more: numberIn(first, 'found') > shown.length,
      cursor: String(shown.length === 0 ? after : numberIn(shown.at(-1), 'place')),
    };
  }
}
