import type { Database } from '../database/connection.js';
import { UnreadableError, writtenIn } from '../database/rows.js';
import { fromText } from '../database/text.js';

const byId = 'r.id = $2';
const ofDefinition = (kind: string) => [['definitions', `r.kind = '${kind}' and ${byId}`]] as const;

/** What goes with a row of each kind: the tables, and the SQL conditions of their rows. */
const parts = {
  contacts: [
    ['contacts', byId],
    ['events', 'r.contact_id = $2'],
    ['journey_runs', 'r.contact_id = $2'],
  ],
  events: [['events', byId]],
  journey_runs: [['journey_runs', byId]],
  sends: [['sends', byId]],
  subscriptions: [
    ['subscriptions', byId],
    ['deliveries', "r.subscription_id = $2 and r.status = 'pending'"],
  ],
  deliveries: [['deliveries', byId]],
  template: ofDefinition('template'),
  segment: ofDefinition('segment'),
  journey: ofDefinition('journey'),
} satisfies Readonly<Record<string, readonly (readonly [table: string, condition: string])[]>>;

/** The SQL conditions of the claims of what goes. */
const claimsOf: Readonly<Partial<Record<RowKind, string>>> = {
  deliveries: byId,
  subscriptions: 'r.subscription_id = $2',
};

export type RowKind = keyof typeof parts;

/**
 * Reads rows of a workspace. Moves each row that cannot be read to a table of its own, so that it stops nothing else. An operator can correct it
 * and put it back.
 */
export class SetAside {
  readonly #database: Database;
  readonly #workspace: string;
  readonly #onFailure: (error: unknown) => void;

  /** @param workspace - The id of the workspace, as `toText` writes it. */
  constructor(database: Database, workspace: string, onFailure: (error: unknown) => void) {
    this.#database = database;
    this.#workspace = workspace;
    this.#onFailure = onFailure;
  }

  /** Reads a row, which has an `id`. Undefined if it cannot be read. */
  async read<Kept>(kind: RowKind, row: unknown, read: (row: unknown) => Kept): Promise<Kept | undefined> {
    try {
      return read(row);
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      await this.#move(kind, writtenIn(row, 'id'), error);
      return undefined;
    }
  }

  /** Reads the rows that can be read. */
  async readAll<Kept>(
    kind: RowKind,
    rows: readonly unknown[],
    read: (row: unknown) => Kept,
  ): Promise<readonly Kept[]> {
    const kept: Kept[] = [];
    for (const row of rows) {
      const record = await this.read(kind, row, read);
      if (record !== undefined) kept.push(record);
    }
    return kept;
  }

  async #move(kind: RowKind, id: string, { message }: UnreadableError): Promise<void> {
    if (kind === 'subscriptions') {
      await this.#database.query('select :schema.write_out_waiting($1, $2, null)', [this.#workspace, id]);
    }
    const gone = parts[kind].map(
      ([table, condition]) => `${table}_gone as (
         delete from :schema.${table} r using :schema.workspaces w
         where w.id = $1 and r.workspace = w.number and ${condition}
         returning r.workspace, r.id, r::text as content
       )`,
    );
    const moved = parts[kind].map(
      ([table]) => `select workspace, '${table}', id, $3, content from ${table}_gone`,
    );
    const rows = await this.#database.query(
      `with ${gone.join(', ')},
       -- Nothing settles a claim of what is gone.
       claims_gone as (
         delete from :schema.claims r using :schema.workspaces w
         where w.id = $1 and r.workspace = w.number and ${claimsOf[kind] ?? 'false'}
       )
       insert into :schema.set_aside (workspace, kind, id, reason, content) ${moved.join(' union all ')}
       returning id`,
      [this.#workspace, id, message],
    );
    // Another replica has set it aside.
    if (rows.length === 0) return;
    this.#onFailure(
      new Error(
        `The row "${fromText(id)}" of ${kind} in the workspace "${fromText(this.#workspace)}" cannot be read: ${message}. The store has set it aside in the table set_aside, and goes on without it. Correct it there, and put it back.`,
      ),
    );
  }
}
