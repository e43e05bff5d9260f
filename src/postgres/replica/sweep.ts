import type { Database } from '../database/connection.js';
import { numberIn } from '../database/rows.js';
import type { Counters } from './counters.js';

const isFree = '(lease_until is null or lease_until <= statement_timestamp())';

/** The largest number of jobs that one sweep adds. A later sweep adds the rest. */
const mostJobs = 1_000;

/**
 * Adds a job for all unclaimed due work of any workspace, because a replica may have stopped or a job may be lost. One replica
 * sweeps at a time, at most once per interval.
 *
 * @param interval - The interval of all replicas together, in milliseconds.
 */
export async function sweep(database: Database, interval: number, counters: Counters): Promise<void> {
  await database.transaction(async (transaction) => {
    const turn = await transaction.query(
      `
update :schema.chores
set done_at = clock_timestamp()
where name = (
  select name
  from :schema.chores
  where name = 'sweep' and done_at <= clock_timestamp() - $1 * interval '1 millisecond'
  for update skip locked
)
returning name`,
      [interval / 2],
    );
    if (turn.length === 0) return;
    counters.add('sweeps');
    // Cancel claimed deliveries of deleted subscriptions whose process stopped, because no one claims them again.
    await transaction.query(`
update :schema.deliveries d
set status = 'cancelled', due_at = null, token = null, holder = null, lease_until = null
where
  token is not null
  and lease_until <= statement_timestamp()
  and not exists (
    select from :schema.subscriptions s where s.workspace = d.workspace and s.id = d.subscription_id
  )`);
    const [row] = await transaction.query(
      `
with recursive clocks as (
  select
    number,
    case clock_flow
      when 'flowing' then extract(epoch from statement_timestamp())::double precision * 1000 + clock_position
      else clock_position
    end as now
  from :schema.workspaces
), waited_for as (
  -- The subscriptions with pending deliveries: each step skips the other deliveries of a subscription.
  (
    select workspace, subscription_id as id
    from :schema.deliveries
    where status = 'pending'
    order by workspace, subscription_id
    limit 1
  )
  union all
  select next.workspace, next.subscription_id
  from waited_for, lateral (
    select d.workspace, d.subscription_id
    from :schema.deliveries d
    where status = 'pending' and (d.workspace, d.subscription_id) > (waited_for.workspace, waited_for.id)
    order by d.workspace, d.subscription_id
    limit 1
  ) next
), found as (
  select waited_for.workspace, 'deliveries' as kind, waited_for.id, 1 as count, claims.expired
  from waited_for
  join clocks on number = waited_for.workspace
  cross join lateral (
    select count(*) filter (where ${isFree}) as expired, count(*) filter (where not ${isFree}) as running
    from :schema.deliveries d
    where d.workspace = waited_for.workspace and d.subscription_id = waited_for.id and token is not null
  ) claims
  where
    claims.expired > 0
    -- The replica of a running attempt claims the next delivery after it.
    or claims.running = 0 and exists (
      select
      from :schema.deliveries d
      where
        d.workspace = waited_for.workspace
        and d.subscription_id = waited_for.id
        and status = 'pending'
        and due_at <= now
    )
  union all
  select workspace, 'journey_run', id, 1, count(token)
  from :schema.journey_runs
  join clocks on number = workspace
  where status = 'waiting' and due_at <= now and ${isFree}
  group by workspace, id
  union all
  select workspace, 'events', '', count(*), count(token)
  from :schema.events
  where not processed and written_at < statement_timestamp() - interval '1 second' and ${isFree}
  group by workspace
  union all
  select workspace, 'sends', '', count(*), count(token)
  from :schema.sends
  where status = 'pending' and ${isFree}
  group by workspace
), due as (
  -- In no order: where there is always more than goes at once, each has its turn.
  select * from found order by random() limit $1
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
    counters.add('sweptWork', numberIn(row, 'count'));
    counters.add('expiredClaims', numberIn(row, 'expired'));
  });
}
