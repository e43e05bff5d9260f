import { steadyTime } from '../../foundation/clock.js';
import { machineClock } from '../../server/time/machine-clock.js';
import type { Queryable } from '../database/connection.js';
import { numberIn, writtenIn } from '../database/rows.js';
import { isSame, type RecordsContext } from './replica-context.js';

/** How many rows one transaction deletes. So few that no request waits for long behind it. */
const portion = 100;

/**
 * Leaves the database to others after a portion that took so many milliseconds. Resolves to whether there is time for another
 * portion.
 */
export type Rest = (took: number) => Promise<boolean>;

/** The tables that can be large, and the columns by which an index has the rows of a workspace. Events and runs come before contacts. */
const tables = [
  ['fan_outs', 'place'],
  ['claims', 'id'],
  ['deliveries', 'id'],
  ['messages', 'place'],
  ['events', 'id'],
  ['journey_runs', 'id'],
  ['contacts', 'id'],
  ['sends', 'id'],
  ['subscriptions', 'id'],
  ['cursors', 'subscription_id'],
  ['journal', 'number'],
  ['journal_writers', 'writer'],
] as const;

/** Deletes a workspace for all who look for it by its id or a key, and then its rows. */
export async function deleteWorkspace({ database, workspace, identity }: RecordsContext): Promise<void> {
  await database.query(
    `with deleted as (
       -- No text has this id, because a text has no backslash before a space.
       update :schema.workspaces w set id = chr(92) || ' ' || w.number, deleted_at = clock_timestamp()
       where w.id = $1 and ${isSame('w.number', 2)}
       returning w.number
     ),
     keys as (
       delete from :schema.api_keys k using deleted where k.workspace = deleted.number
     )
     select :schema.tell($1, 'workspace') from deleted`,
    [workspace, identity.number ?? null],
  );
  // The workspace is deleted. The next sweeps delete its other rows, if there are many or if this fails.
  await removeDeleted(database, async () => false).catch(() => {});
}

/** Deletes the rows of deleted workspaces, in short transactions. */
export async function removeDeleted(database: Queryable, rest: Rest): Promise<void> {
  for (;;) {
    const [row] = await database.query(
      'select number::text from :schema.workspaces where deleted_at is not null order by deleted_at limit 1',
    );
    if (row === undefined) return;
    const number = writtenIn(row, 'number');
    for (const [table, key] of tables) {
      if (!(await inPortions(portion, () => removePortion(database, number, table, key), rest))) return;
    }
    await database.query('delete from :schema.workspaces where number = $1', [number]);
  }
}

/** Repeats a deletion until a portion is not full. Resolves to false if the time was up before. */
export async function inPortions(
  portion: number,
  remove: () => Promise<number>,
  rest: Rest,
): Promise<boolean> {
  for (;;) {
    const beganAt = steadyTime(machineClock);
    if ((await remove()) < portion) return true;
    if (!(await rest(steadyTime(machineClock) - beganAt))) return false;
  }
}

async function removePortion(
  database: Queryable,
  number: string,
  table: string,
  key: string,
): Promise<number> {
  const [row] = await database.query(
    `with deleted as (
       delete from :schema.${table}
       where ctid = any (array(
         select ctid from :schema.${table} where workspace = $1 order by ${key} limit ${portion} for update skip locked
       ))
       returning 1
     )
     select count(*) as count from deleted`,
    [number],
  );
  return numberIn(row, 'count');
}
