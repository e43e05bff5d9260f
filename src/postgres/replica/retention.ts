import { toMilliseconds } from '../../server/time/duration.js';
import type { Database } from '../database/connection.js';
import { numberIn } from '../database/rows.js';
import { jobsSchemaOf, quoted } from '../database/text.js';
import type { PostgresRetention } from '../options.js';
import { inPortions, type Rest } from '../records/deletion.js';
import type { Ages } from './replica-parts.js';
import { takeTurn } from './sweep.js';

/** How many rows one transaction deletes, and how many journals it looks at, to keep transactions short. */
const portion = 1_000;

export function agesOf({ journal, deliveries, sends, events, journeyRuns }: PostgresRetention = {}): Ages {
  return {
    journal: toMilliseconds(journal ?? '7d'),
    deliveries: toMilliseconds(deliveries ?? '30d'),
    sends: toMilliseconds(sends ?? '90d'),
    events: toMilliseconds(events ?? '90d'),
    journeyRuns: toMilliseconds(journeyRuns ?? '90d'),
  };
}

/**
 * Deletes old finished records, if no replica did so within the last minute. The age counts from when the row was written, by
 * the database's time, not the workspace's.
 */
export async function forgetOld(
  database: Database,
  ages: Ages,
  rest: Rest,
  forgotten: (count: number) => void,
): Promise<void> {
  if (!(await takeTurn(database, 'retention', 60_000))) return;
  await forgetJobs(database);
  await database.query("delete from :schema.replicas where seen_at < clock_timestamp() - interval '1 day'");
  await database.query("delete from :schema.journal_writers where written_at < now() - interval '1 day'");
  const steps = [
    () => forgetBy('forget_deliveries', database, ages.deliveries),
    () => forgetPortion(database, 'sends', "status = 'sent'", ages.sends),
    () => forgetPortion(database, 'events', 'processed', ages.events),
    () => forgetPortion(database, 'journey_runs', "status <> 'waiting'", ages.journeyRuns),
    () => forgetBy('forget_entries', database, ages.journal),
  ];
  for (const step of steps) {
    const counted = async () => {
      const deleted = await step();
      forgotten(deleted);
      return deleted;
    };
    if (!(await inPortions(portion, counted, rest))) return;
  }
}

/** @param isOver - The SQL condition of finished rows, as in the index on `written_at`. */
async function forgetPortion(
  database: Database,
  table: string,
  isOver: string,
  age: number,
): Promise<number> {
  const [row] = await database.query(
    `
with deleted as (
  delete from :schema.${table}
  where ctid = any (array(
    select ctid
    from :schema.${table}
    where ${isOver} and written_at < now() - $1 * interval '1 millisecond'
    order by written_at
    limit ${portion}
    for update skip locked
  ))
  returning workspace
), counted as (
  insert into :schema.forgotten as forgotten (workspace, ${table})
  select workspace, count(*) from deleted group by workspace order by workspace
  on conflict (workspace) do update set ${table} = forgotten.${table} + excluded.${table}
)
select count(*) as count from deleted`,
    [age],
  );
  return numberIn(row, 'count');
}

/** Forgets a portion of what has a function for it. */
async function forgetBy(
  name: 'forget_deliveries' | 'forget_entries',
  database: Database,
  age: number,
): Promise<number> {
  const [row] = await database.query(`select :schema.${name}($1, $2) as count`, [age, portion]);
  return numberIn(row, 'count');
}

/** Deletes abandoned jobs. A job ends at once, so one that began a minute ago has lost its replica or its connection. */
async function forgetJobs(database: Database): Promise<void> {
  const jobs = quoted(jobsSchemaOf(database.schemaName));
  await database.query(`
select ${jobs}.force_unlock_workers(array_agg(distinct locked_by))
from ${jobs}.jobs
where task_identifier = 'due' and locked_at < now() - interval '1 minute'
having count(*) > 0`);
  await database.query(`
select count(*)
from ${jobs}.complete_jobs(
  array(
    select id
    from ${jobs}.jobs
    where task_identifier = 'due' and locked_at is null and attempts >= max_attempts
    limit ${portion}
  )
)`);
}
