import type { WorkspaceRecord } from '../../server/model/records.js';
import type {
  FoundWorkspace,
  NewSharedWorkspace,
  SharedRecords,
  WorkspaceAddition,
} from '../../server/store/shared-store.js';
import { emptyState } from '../../server/store/store.js';
import { Batch } from '../database/batch.js';
import { booleanIn, numberIn, textIn, writtenIn } from '../database/rows.js';
import { rowsOf, toText } from '../database/text.js';
import { release, renewLeases } from './leases.js';
import { endMove, renewMoves } from './moves.js';
import { HeldClaims, type ReplicaContext } from './replica-context.js';
import { SetAside } from './set-aside.js';
import { insertState, toColumns } from './state.js';
import { WorkspaceRecords } from './workspace-records.js';

export interface PostgresRecordsOptions extends Omit<ReplicaContext, 'held' | 'moving'> {
  /** Called with an error that stops nothing: a row cannot be read. */
  readonly onFailure?: (error: unknown) => void;
}

/** The records of all workspaces, for one replica. */
export class PostgresRecords implements SharedRecords {
  protected readonly context: ReplicaContext;
  readonly #onFailure: (error: unknown) => void;
  readonly #owners: Batch<string, FoundWorkspace | undefined>;

  constructor({ onFailure = () => {}, ...options }: PostgresRecordsOptions) {
    this.context = { ...options, held: new HeldClaims(), moving: new Set() };
    this.#onFailure = onFailure;
    this.#owners = new Batch((digests) => this.#findOwners(digests));
  }

  workspace(workspaceId: string): WorkspaceRecords {
    const { database } = this.context;
    const workspace = toText(workspaceId);
    return new WorkspaceRecords({
      ...this.context,
      workspace,
      identity: { number: undefined },
      database: database.of(workspaceId),
      setAside: new SetAside(database, workspace, this.#onFailure),
    });
  }

  async createWorkspace(workspace: WorkspaceRecord): Promise<void> {
    const addition = await this.addWorkspace({
      state: emptyState(workspace),
      clock: { flow: 'flowing', ahead: 0 },
      settings: {},
      initialState: null,
      apiKeyDigests: [],
    });
    if (addition !== 'added') throw new Error('A workspace of this store has this id already.');
  }

  addWorkspace(added: NewSharedWorkspace): Promise<WorkspaceAddition> {
    const { state, clock, settings, initialState, apiKeyDigests } = added;
    const [flow, position] = toColumns(clock);
    return this.context.database.transaction(async (transaction) => {
      const [row] = await transaction.query(
        `insert into :schema.workspaces (id, clock_flow, clock_position, settings, initial_state)
         values ($1, $2, $3, $4, $5)
         on conflict (id) do nothing
         returning number::text`,
        [toText(state.workspace.id), flow, position, JSON.stringify(settings), JSON.stringify(initialState)],
      );
      if (row === undefined) return 'id_exists';
      const number = writtenIn(row, 'number');
      const digests = [...new Set(apiKeyDigests)].map(toText);
      const keys = await transaction.query(
        `insert into :schema.api_keys (digest, workspace)
         select digest, $2::bigint from unnest($1::text[]) digest
         on conflict do nothing
         returning digest`,
        [digests, number],
      );
      if (keys.length < digests.length) {
        await transaction.query('delete from :schema.workspaces where number = $1', [number]);
        return 'key_exists';
      }
      await insertState(transaction, number, state);
      return 'added';
    });
  }

  async readMarks(workspaceIds: readonly string[]): Promise<readonly FoundWorkspace[]> {
    const rows = await this.context.database.query(
      'select id, number, mark::text as mark from :schema.workspaces where id = any($1)',
      [workspaceIds.map(toText)],
      'read_marks',
    );
    return rows.map(foundIn);
  }

  async listWorkspaceIds(): Promise<readonly string[]> {
    const rows = await this.context.database.query(
      'select id from :schema.workspaces where deleted_at is null order by number',
    );
    return rows.map((row) => textIn(row, 'id'));
  }

  deleteWorkspace(workspaceId: string): Promise<void> {
    return this.workspace(workspaceId).delete();
  }

  async addApiKey(workspaceId: string, digest: string): Promise<void> {
    const [row] = await this.context.database.query(
      `insert into :schema.api_keys as k (digest, workspace)
       select $2, w.number from :schema.workspaces w where w.id = $1
       on conflict (digest) do update set digest = k.digest
       returning workspace = (select number from :schema.workspaces where id = $1) as added`,
      [toText(workspaceId), toText(digest)],
    );
    // A workspace that does not exist has no keys.
    if (row === undefined || booleanIn(row, 'added')) return;
    throw new Error('This API key belongs to another workspace of this store.');
  }

  async removeApiKey(workspaceId: string, digest: string): Promise<boolean> {
    const rows = await this.context.database.query(
      `with removed as (
         delete from :schema.api_keys k using :schema.workspaces w
         where w.id = $1 and k.workspace = w.number and k.digest = $2
         returning k.workspace, k.digest
       ), revoked as (
         insert into :schema.revoked_keys select workspace, digest from removed on conflict do nothing
       )
       select digest from removed`,
      [toText(workspaceId), toText(digest)],
    );
    return rows.length > 0;
  }

  async hasRevoked(workspaceId: string, digest: string): Promise<boolean> {
    const rows = await this.context.database.query(
      `select from :schema.revoked_keys k join :schema.workspaces w on w.number = k.workspace
       where w.id = $1 and k.digest = $2`,
      [toText(workspaceId), toText(digest)],
    );
    return rows.length > 0;
  }

  async findWorkspaceId(apiKeyDigest: string): Promise<string | undefined> {
    return (await this.findWorkspace(apiKeyDigest))?.id;
  }

  findWorkspace(apiKeyDigest: string): Promise<FoundWorkspace | undefined> {
    return this.#owners.add(apiKeyDigest);
  }

  /** Renews the leases of the unsettled claims, and of the moves of clocks. Call it every third of a lease. */
  async renewLeases(): Promise<void> {
    await renewLeases(this.context);
    await renewMoves(this.context);
  }

  /** Releases all claims of this replica, so that others can claim the records at once. */
  releaseAll(): Promise<void> {
    return release(this.context, this.context.held.all());
  }

  async endMoves(): Promise<void> {
    for (const workspace of [...this.context.moving]) await endMove(this.context, workspace);
  }

  async #findOwners(digests: readonly string[]): Promise<readonly (FoundWorkspace | undefined)[]> {
    const rows = await this.context.database.query(
      `select g.index::int, w.id, w.number, w.mark::text as mark
       from ${rowsOf('$1::text[]')} as g (digest, index)
         join :schema.api_keys k on k.digest = g.digest
         join :schema.workspaces w on w.number = k.workspace`,
      [digests.map(toText)],
      'find_owners',
    );
    const owners = new Map(rows.map((row) => [numberIn(row, 'index'), row]));
    return digests.map((_, index) => {
      const row = owners.get(index + 1);
      return row === undefined ? undefined : foundIn(row);
    });
  }
}

function foundIn(row: unknown): FoundWorkspace {
  return { id: textIn(row, 'id'), number: numberIn(row, 'number'), mark: writtenIn(row, 'mark') };
}
