import type { MoveStart } from '../../server/store/shared-store.js';
import { booleanIn } from '../database/rows.js';
import { isSame, type RecordsContext, type ReplicaContext } from './replica-context.js';

/** The moves of clocks: one replica at a time moves the clock of a workspace. */

/** Begins a move of a clock by this replica. */
export async function beginMove({
  database,
  workspace,
  identity,
  replica,
  lease,
  moving,
}: RecordsContext): Promise<MoveStart> {
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
  { database, replica, moving }: Pick<RecordsContext, 'database' | 'replica' | 'moving'>,
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
