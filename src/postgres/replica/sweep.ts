import type { Database, Queryable } from '../database/connection.js';
import { numberIn, writtenIn } from '../database/rows.js';
import { type Rest, removeDeleted } from '../records/deletion.js';
import type { Counters } from './replica-parts.js';

/** The most of each kind of work that one sweep does. A later sweep does the rest. */
const mostJobs = 1_000;

/** Whether this replica is to do what one replica does for all. False if one did so within `pause` milliseconds, or does so now. */
export async function takeTurn(
  queryable: Queryable,
  chore: 'sweep' | 'retention',
  pause: number,
): Promise<boolean> {
  const turn = await queryable.query(
    `
update :schema.chores
set done_at = clock_timestamp()
where name = (
  select name
  from :schema.chores
  where name = $1 and done_at <= clock_timestamp() - $2 * interval '1 millisecond'
  for update skip locked
)
returning name`,
    [chore, pause],
  );
  return turn.length > 0;
}

/**
 * Adds a job for all unclaimed due work of any workspace, because a replica may have stopped or a job may be lost. Also goes on to
 * delete the rows of deleted workspaces. One replica sweeps at a time, at most once per interval.
 *
 * @param interval - The interval of all replicas together, in milliseconds.
 */
export async function sweep(
  database: Database,
  interval: number,
  counters: Counters,
  rest: Rest,
): Promise<void> {
  const swept = await database.transaction(async (transaction) => {
    if (!(await takeTurn(transaction, 'sweep', interval / 2))) return false;
    counters.sweeps += 1;
    // Cancel claimed deliveries of deleted subscriptions whose process stopped, because no one claims them again.
    await transaction.query(
      `
select :schema.cancel_abandoned(c.workspace, c.subscription_id)
from (
  select c.workspace, c.subscription_id
  from :schema.claims c
  where c.lease_until <= statement_timestamp() and not exists (
    select from :schema.subscriptions s where s.workspace = c.workspace and s.id = c.subscription_id
  )
  group by c.workspace, c.subscription_id
  order by c.workspace, c.subscription_id
  limit $1
) c`,
      [mostJobs],
    );
    await transaction.query('select :schema.end_fan_outs($1)', [mostJobs]);
    const [row] = await transaction.query(
      `
with due as (
  -- In no order: where there is always more than goes at once, each has its turn.
  select due_work.*
  from :schema.due_work($1) join :schema.workspaces w on w.number = workspace and w.deleted_at is null
  order by random()
  limit $1
)
select
  coalesce(sum(count), 0) as count,
  coalesce(sum(expired), 0) as expired,
  :schema.add_due_jobs(
    array_agg(workspace), array_agg(kind), array_agg(id), array_agg(statement_timestamp())
  )
from due`,
      [mostJobs],
    );
    counters.sweptWork += numberIn(row, 'count');
    counters.expiredClaims += numberIn(row, 'expired');
    return true;
  });
  if (!swept) return;
  await analyzeGrown(database);
  await removeDeleted(database, rest);
}

/**
 * Analyzes each table of which as many rows changed as there were at the last time. Each session then replaces the plans that it
 * made while a table was small. The database does so by itself, but up to a minute later. Only the owner of a table can.
 */
async function analyzeGrown(database: Database): Promise<void> {
  const grown = await database.query(
    `
select oid::regclass::text as name
from pg_class
where
  relnamespace = $1::regnamespace
  and relkind = 'r'
  and pg_has_role(relowner, 'usage')
  and pg_relation_size(oid) >= 4 * current_setting('block_size')::bigint
  and pg_stat_get_mod_since_analyze(oid) >= greatest(reltuples, 100)`,
    [database.schema],
    'grown_tables',
  );
  for (const row of grown) await database.query(`analyze (skip_locked) ${writtenIn(row, 'name')}`);
}
