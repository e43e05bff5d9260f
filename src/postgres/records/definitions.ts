import { recordIn } from '../database/rows.js';
import { toText } from '../database/text.js';
import type { RecordsContext } from './replica-context.js';
import { WorkspacePart } from './workspace-part.js';

type Kind = 'template' | 'segment' | 'journey';

/** Templates, segments or journeys of a workspace, in the order of their addition. */
export class PostgresDefinitions<
  Kept extends { readonly id: string; readonly event?: string },
> extends WorkspacePart {
  readonly #kind: Kind;

  constructor(context: RecordsContext, kind: Kind) {
    super(context);
    this.#kind = kind;
  }

  list(): Promise<readonly Kept[]> {
    return this.listBy();
  }

  async find(id: string): Promise<Kept | undefined> {
    return (await this.listBy('id', id))[0];
  }

  async put(record: Kept): Promise<void> {
    await this.context.database.query(
      `insert into :schema.definitions (workspace, kind, id, event, record)
       select w.number, $2, $3, $4, $5 from :schema.workspaces w where w.id = $1
       on conflict (workspace, kind, id) do update set event = excluded.event, record = excluded.record`,
      [
        this.context.workspace,
        this.#kind,
        toText(record.id),
        record.event === undefined ? null : toText(record.event),
        JSON.stringify(record),
      ],
    );
  }

  async delete(id: string): Promise<boolean> {
    const rows = await this.context.database.query(
      `delete from :schema.definitions d using :schema.workspaces w
       where w.id = $1 and d.workspace = w.number and d.kind = $2 and d.id = $3
       returning d.id`,
      [this.context.workspace, this.#kind, toText(id)],
    );
    return rows.length > 0;
  }

  /** Returns those with a text in a column. Default: all. */
  protected async listBy(column?: 'id' | 'event', text = ''): Promise<readonly Kept[]> {
    const rows = await this.context.database.query(
      `select d.id, d.record::text
       from :schema.workspaces w join :schema.definitions d on d.workspace = w.number
       where w.id = $1 and d.kind = $2 ${column === undefined ? '' : `and d.${column} = $3`}
       order by d.place`,
      [this.context.workspace, this.#kind, ...(column === undefined ? [] : [toText(text)])],
      'list_definitions',
    );
    return this.context.setAside.readAll(this.#kind, rows, recordIn<Kept>);
  }
}
