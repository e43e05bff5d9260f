import type { JsonValue } from '../../server/model/fault.js';
import type {
  MoveStart,
  RevisedSettings,
  SettingsStore,
  SharedSettings,
} from '../../server/store/shared-store.js';
import { booleanIn, jsonIn, numberIn, writtenIn } from '../database/rows.js';
import { isSame, type ReplicaContext, type WorkspaceContext } from './replica-context.js';
import { toColumns } from './state.js';
import { WorkspacePart } from './workspace-part.js';

const columns = 'number, revision, clock_flow, clock_position, settings::text as settings';

/** Renews the leases of this replica's moves. */
export async function renewMoves({ database, replica, lease, moving }: ReplicaContext): Promise<void> {
  if (moving.size === 0) return;
  await database.query(
    `
update :schema.workspaces
set mover_until = clock_timestamp() + $3 * interval '1 millisecond'
where id = any($1) and mover = $2`,
    [[...moving], replica, lease],
  );
}

/** Ends moves of a clock by this replica, and adds the jobs of the workspace. */
export async function endMove(
  { database, replica, moving }: Pick<WorkspaceContext, 'database' | 'replica' | 'moving'>,
  workspace: string,
): Promise<void> {
  moving.delete(workspace);
  await database.query(
    `
with moved as (
  update :schema.workspaces
  set mover = null, mover_until = null
  where id = $1 and mover = $2
  returning number
)
select :schema.wake_all(number) from moved`,
    [workspace, replica],
    'move_end',
  );
}

/** The shared settings of a workspace. */
export class SharedWorkspaceSettings extends WorkspacePart implements SettingsStore {
  async read(): Promise<RevisedSettings | undefined> {
    const { database, workspace, identity } = this.context;
    const [row] = await database.query(
      `select ${columns} from :schema.workspaces where id = $1 and ${isSame('number', 2)}`,
      [workspace, identity.number ?? null],
      'settings_read',
    );
    if (row === undefined) return undefined;
    identity.number ??= numberIn(row, 'number');
    return { ...sharedSettingsOf(row), revision: numberIn(row, 'revision') };
  }

  /** Changes the shared settings. The row lock blocks neither readers nor rows that refer to the workspace. */
  change(decide: (now: SharedSettings) => SharedSettings): Promise<RevisedSettings | undefined> {
    const { database, workspace, identity, moving } = this.context;
    return database.transaction(async (transaction) => {
      const [row] = await transaction.query(
        `select ${columns} from :schema.workspaces where id = $1 and ${isSame('number', 2)} for no key update`,
        [workspace, identity.number ?? null],
        'settings_lock',
      );
      if (row === undefined) return undefined;
      const before = sharedSettingsOf(row);
      const { clock, settings } = decide(before);
      const revision = numberIn(row, 'revision') + 1;
      const [flow, position] = toColumns(clock);
      await transaction.query(
        `
update :schema.workspaces
set revision = $2, clock_flow = $3, clock_position = $4, settings = $5
where id = $1
returning :schema.tell(id, 'settings')`,
        [workspace, revision, flow, position, JSON.stringify(settings)],
        'settings_write',
      );
      const [flowBefore, positionBefore] = toColumns(before.clock);
      // The replica that moves the clock does the due work step by step, and adds the jobs at the end.
      if ((flow !== flowBefore || position !== positionBefore) && !moving.has(workspace)) {
        await transaction.query('select :schema.wake_all($1)', [numberIn(row, 'number')], 'wake_all');
      }
      return { clock, settings, revision };
    });
  }

  async readInitialState(): Promise<JsonValue | undefined> {
    const { database, workspace, identity } = this.context;
    const [row] = await database.query(
      `
select coalesce(initial_state::text, 'null') as initial_state
from :schema.workspaces
where id = $1 and ${isSame('number', 2)}`,
      [workspace, identity.number ?? null],
    );
    return row === undefined ? undefined : jsonIn<JsonValue>(row, 'initial_state');
  }

  async beginMove(): Promise<MoveStart> {
    const { database, workspace, identity, replica, lease, moving } = this.context;
    const [row] = await database.query(
      `
with begun as (
  update :schema.workspaces
  set mover = $2, mover_until = clock_timestamp() + $3 * interval '1 millisecond'
  where id = $1 and ${isSame('number', 4)} and (mover is null or mover = $2 or mover_until <= clock_timestamp())
  returning number
)
select exists (select from begun) as begun
from :schema.workspaces
where id = $1 and ${isSame('number', 4)}`,
      [workspace, replica, lease, identity.number ?? null],
      'move_begin',
    );
    if (row === undefined) return 'gone';
    if (!booleanIn(row, 'begun')) return 'busy';
    moving.add(workspace);
    return 'begun';
  }

  endMove(): Promise<void> {
    return endMove(this.context, this.context.workspace);
  }
}

function sharedSettingsOf(row: unknown): SharedSettings {
  const position = numberIn(row, 'clock_position');
  return {
    clock:
      writtenIn(row, 'clock_flow') === 'frozen'
        ? { flow: 'frozen', now: position }
        : { flow: 'flowing', ahead: position },
    settings: jsonIn<JsonValue>(row, 'settings'),
  };
}
