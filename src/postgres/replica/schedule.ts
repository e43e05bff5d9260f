import type { DueWork, ScheduleStore } from '../../server/store/schedule-store.js';
import type { Database } from '../database/connection.js';
import { booleanIn, optionalNumberIn, textIn } from '../database/rows.js';
import { toText } from '../database/text.js';
import { workOf } from './due-work.js';

/** SQL: the row has no running lease. */
const isFree = '(lease_until is null or lease_until <= clock_timestamp())';

/** Finds the waiting work of a workspace in its rows. */
export function scheduleOf(database: Database, replica: string, workspaceId: string): ScheduleStore {
  return {
    async next() {
      const [row] = await database.query(
        `
select least(
  (
    select due_at
    from :schema.deliveries
    where workspace = w.number and status = 'pending' and ${isFree}
    order by due_at
    limit 1
  ),
  (
    select due_at
    from :schema.journey_runs
    where workspace = w.number and status = 'waiting' and ${isFree}
    order by due_at
    limit 1
  )
) as next
from :schema.workspaces w
where w.id = $1`,
        [toText(workspaceId)],
        'schedule_next',
      );
      return row === undefined ? undefined : optionalNumberIn(row, 'next');
    },

    async due(now) {
      const rows = await database.query(
        `
with w as (select number from :schema.workspaces where id = $1)
select distinct 'deliveries' as kind, subscription_id as id
from :schema.deliveries join w on workspace = w.number
where status = 'pending' and due_at <= $2 and ${isFree}
union all
select 'journey_run', id
from :schema.journey_runs join w on workspace = w.number
where status = 'waiting' and due_at <= $2 and ${isFree}
union all
select 'events', ''
from w
where exists (select from :schema.events where workspace = w.number and not processed and ${isFree})
union all
select 'sends', ''
from w
where exists (select from :schema.sends where workspace = w.number and status = 'pending' and ${isFree})`,
        [toText(workspaceId), now],
        'schedule_due',
      );
      return rows.flatMap<DueWork>((row) => workOf(textIn(row, 'kind'), textIn(row, 'id')) ?? []);
    },

    async isIdle(now) {
      const isClaimable = `(${isFree} or holder is distinct from $3)`;
      const isOfAnother =
        'token is not null and lease_until > clock_timestamp() and holder is distinct from $3';
      const waits = (table: string, status: string) => `
  exists (select from :schema.${table} where workspace = w.number and ${status} and due_at <= $2 and ${isFree})
  or exists (select from :schema.${table} where workspace = w.number and ${isOfAnother})`;
      const [row] = await database.query(
        `
select not (
  ${waits('deliveries', "status = 'pending'")}
  or ${waits('journey_runs', "status = 'waiting'")}
  or exists (select from :schema.events where workspace = w.number and not processed and ${isClaimable})
  or exists (select from :schema.sends where workspace = w.number and status = 'pending' and ${isClaimable})
) as idle
from :schema.workspaces w
where w.id = $1`,
        [toText(workspaceId), now, replica],
        'schedule_idle',
      );
      return row === undefined || booleanIn(row, 'idle');
    },
  };
}
