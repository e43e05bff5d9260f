import type { DueWork, MoveStart, ScheduleStore } from '../../server/store/shared-store.js';
import { booleanIn, optionalNumberIn, textIn } from '../database/rows.js';
import { fromText } from '../database/text.js';
import { beginMove, endMove } from './moves.js';
import type { PostgresOutbox } from './outbox.js';
import type { RecordsContext } from './replica-context.js';
import { WorkspacePart } from './workspace-part.js';

export interface FoundWork {
  readonly workspaceId: string;
  readonly work: DueWork;
}

/** Parses the payload of a job: the workspace, the kind of work, and its id. */
export function parseDueWork(written: Readonly<Record<string, unknown>>): FoundWork | undefined {
  const { workspace, kind, id } = written;
  if (typeof workspace !== 'string' || typeof id !== 'string') return undefined;
  const work = workOf(kind, fromText(id));
  return work && { workspaceId: fromText(workspace), work };
}

export function workOf(kind: unknown, id: string): DueWork | undefined {
  switch (kind) {
    case 'deliveries':
      return { kind, subscriptionId: id };
    case 'journey_run':
      return { kind, runId: id };
    case 'events':
    case 'sends':
      return { kind };
    default:
      return undefined;
  }
}

/** SQL: the row has no running lease. */
const isFree = '(lease_until is null or lease_until <= clock_timestamp())';

/** SQL: the delivery `d` is not claimed. */
const isUnclaimed = `not exists (
  select from :schema.claims c where c.workspace = d.workspace and c.id = d.id and c.lease_until > clock_timestamp()
)`;

/** SQL: when the first unclaimed delivery or journey run of the workspace `w` is due. */
const nextDue = `least(
  (
    select min(next.due_at)
    from :schema.waited_for(w.number) waited_for cross join lateral (
      select d.due_at
      from :schema.deliveries d
      where d.workspace = w.number and d.subscription_id = waited_for.subscription_id and d.status = 'pending' and ${isUnclaimed}
      order by d.due_at, d.place
      limit 1
    ) next
  ),
  (
    select due_at
    from :schema.journey_runs
    where workspace = w.number and status = 'waiting' and ${isFree}
    order by due_at
    limit 1
  )
)`;

/**
 * SQL: whether the workspace `w` has such a row. The order is that of an index: it makes the planner read the index, where `exists`
 * reads the table if the planner assumes many such rows.
 */
function hasRow(table: string, condition: string, order: string): string {
  return `(
  select true from :schema.${table} where workspace = w.number and ${condition} order by ${order} limit 1
) is not null`;
}

/** Finds the waiting work of a workspace in its rows. */
export class Schedule extends WorkspacePart implements ScheduleStore {
  readonly reportsDueWork = true;
  readonly #outbox: Pick<PostgresOutbox, 'writeOut'>;

  /** @param outbox - Writes out what waits, before each look. */
  constructor(context: RecordsContext, outbox: Pick<PostgresOutbox, 'writeOut'>) {
    super(context);
    this.#outbox = outbox;
  }

  async next(): Promise<number | undefined> {
    await this.#outbox.writeOut();
    const { database, workspace } = this.context;
    const [row] = await database.query(
      `select ${nextDue} as next from :schema.workspaces w where w.id = $1`,
      [workspace],
      'schedule_next',
    );
    return row === undefined ? undefined : optionalNumberIn(row, 'next');
  }

  async due(now: number): Promise<readonly DueWork[]> {
    await this.#outbox.writeOut();
    const { database, workspace } = this.context;
    const rows = await database.query(
      `
with w as (select number from :schema.workspaces where id = $1)
select 'deliveries' as kind, waited_for.subscription_id as id
from w cross join :schema.waited_for(w.number)
where waited_for.due_at <= $2 and ${hasRow(
        'deliveries d',
        `d.subscription_id = waited_for.subscription_id and status = 'pending' and d.due_at <= $2 and ${isUnclaimed}`,
        'd.due_at, place',
      )}
union all
select 'journey_run', id
from :schema.journey_runs join w on workspace = w.number
where status = 'waiting' and due_at <= $2 and ${isFree}
union all
select 'events', '' from w where ${hasRow('events', `not processed and ${isFree}`, 'place')}
union all
select 'sends', '' from w where ${hasRow('sends', `status = 'pending' and ${isFree}`, 'place')}`,
      [workspace, now],
      'schedule_due',
    );
    return rows.flatMap<DueWork>((row) => workOf(textIn(row, 'kind'), textIn(row, 'id')) ?? []);
  }

  async isIdle(now: number): Promise<boolean> {
    await this.#outbox.writeOut();
    const { database, workspace, replica } = this.context;
    const isClaimable = `(${isFree} or holder is distinct from $3)`;
    const isOfAnother =
      'token is not null and lease_until > clock_timestamp() and holder is distinct from $3';
    const [row] = await database.query(
      `
select not (
  coalesce(${nextDue} <= $2, false)
  or ${hasRow('claims', 'lease_until > clock_timestamp() and holder <> $3', 'subscription_id, id')}
  or ${hasRow('journey_runs', isOfAnother, 'id')}
  or ${hasRow('events', `not processed and ${isClaimable}`, 'place')}
  or ${hasRow('sends', `status = 'pending' and ${isClaimable}`, 'place')}
) as idle
from :schema.workspaces w
where w.id = $1`,
      [workspace, now, replica],
      'schedule_idle',
    );
    return row === undefined || booleanIn(row, 'idle');
  }

  beginMove(): Promise<MoveStart> {
    return beginMove(this.context);
  }

  endMove(): Promise<void> {
    return endMove(this.context, this.context.workspace);
  }
}
