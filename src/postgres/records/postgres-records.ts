import type { WorkspaceRecord } from '../../server/model/records.js';
import type { FoundWorkspace } from '../../server/store/shared-store.js';
import { emptyState, type Store } from '../../server/store/store.js';
import { Batch } from '../database/batch.js';
import type { Database } from '../database/connection.js';
import { rowsOf } from '../database/lists.js';
import { isDuplicate } from '../database/lost-connection.js';
import { booleanIn, numberIn, textIn, writtenIn } from '../database/rows.js';
import { toText } from '../database/text.js';
import { ContactBatches } from './contact-batches.js';
import { deleteWorkspace, removeDeleted } from './deletion.js';
import { DeliveryBatch } from './delivery-batch.js';
import { EventBatches } from './event-batches.js';
import { HeldClaims } from './held-claims.js';
import { insertState } from './insert-state.js';
import { release, renewLeases } from './leases.js';
import { MessageBatch } from './messages.js';
import type { ReplicaContext, RunningLimits } from './replica-context.js';
import { SendBatches } from './send-batches.js';
import { SetAside } from './set-aside.js';
import { type ReplicaBatches, WorkspaceRecords } from './workspace-records.js';

export interface PostgresRecordsOptions {
  readonly database: Database;
  /** How long a claim is valid after its last renewal. In milliseconds. */
  readonly lease: number;
  /** The name of this replica. */
  readonly replica: string;
  /** Creates a unique token for a claim. */
  readonly newToken: () => string;
  /** How many attempts to one subscription can run at once, in all replicas together. Default: no limit. */
  readonly running?: RunningLimits | undefined;
  /** Called with an error that stops nothing: a row cannot be read. */
  readonly onFailure?: (error: unknown) => void;
}

/** The records of all workspaces, for one replica. */
export class PostgresRecords implements Store {
  protected readonly context: ReplicaContext;
  protected readonly batches: ReplicaBatches;
  readonly #owners: Batch<string, FoundWorkspace | undefined>;

  constructor({ running, onFailure = () => {}, ...options }: PostgresRecordsOptions) {
    const { database } = options;
    const setAside = new SetAside(database, onFailure);
    const context = { ...options, running, held: new HeldClaims(), setAside };
    this.context = context;
    this.batches = {
      contacts: new ContactBatches(context),
      sends: new SendBatches(context),
      events: new EventBatches(database),
      deliveries: new DeliveryBatch(context),
      messages: new MessageBatch(context),
    };
    this.#owners = new Batch((digests) => this.#findOwners(digests));
  }

  workspace(workspaceId: string): WorkspaceRecords {
    return new WorkspaceRecords(this.context, this.batches, workspaceId);
  }

  async createWorkspace(workspace: WorkspaceRecord): Promise<void> {
    try {
      await this.context.database.transaction(async (transaction) => {
        const [row] = await transaction.query(
          'insert into :schema.workspaces (id) values ($1) returning number::text',
          [toText(workspace.id)],
        );
        await insertState(transaction, writtenIn(row, 'number'), emptyState(workspace));
      });
    } catch (error) {
      if (isDuplicate(error)) throw new Error('A workspace of this store has this id already.');
      throw error;
    }
  }

  /** @param number - The number of the workspace. Default: any, because another one with the same id has another number. */
  async deleteWorkspace(workspaceId: string, number?: number): Promise<void> {
    const { database } = this.context;
    await deleteWorkspace(database, workspaceId, number);
    // The workspace is deleted. If this ends too early, the next sweep goes on.
    await removeDeleted(database).catch(() => {});
  }

  async addApiKey(workspaceId: string, digest: string): Promise<void> {
    const [row] = await this.context.database.query('select :schema.add_api_key($1, $2) as added', [
      toText(workspaceId),
      toText(digest),
    ]);
    if (!booleanIn(row, 'added')) throw new Error('This API key opens another workspace of this store.');
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

  /** Renews the leases of the unsettled claims. Call it every third of a lease. */
  renewLeases(): Promise<void> {
    return renewLeases(this.context);
  }

  /** Releases all claims of this replica, so that others can claim the records at once. */
  releaseAll(): Promise<void> {
    return release(this.context, this.context.held.all());
  }

  async #findOwners(digests: readonly string[]): Promise<readonly (FoundWorkspace | undefined)[]> {
    const rows = await this.context.database.query(
      `select g.index::int, w.id, w.number, w.revision
       from ${rowsOf('$1::text[]')} as g (digest, index)
         join :schema.api_keys k on k.digest = g.digest
         join :schema.workspaces w on w.number = k.workspace`,
      [digests.map(toText)],
      'find_owners',
    );
    const owners = new Map(rows.map((row) => [numberIn(row, 'index'), row]));
    return digests.map((_, index) => {
      const row = owners.get(index + 1);
      if (row === undefined) return undefined;
      return {
        id: textIn(row, 'id'),
        number: numberIn(row, 'number'),
        revision: numberIn(row, 'revision'),
      };
    });
  }
}
