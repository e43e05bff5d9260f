import type { WorkspaceSnapshot } from 'messaging-automation/server';
import type { Pool } from 'pg';

/** Counts by name, as the tables have them. */
type Counts = Readonly<Record<string, number>>;

/** Holds the rows of a workspace against what the replicas answer. */
export async function problemsWithTables(
  pool: Pool,
  schema: string,
  {
    workspace,
    contacts,
    events,
    waitingEventIds,
    journeyRuns,
    sends,
    subscriptions,
    deliveries,
  }: WorkspaceSnapshot,
): Promise<readonly string[]> {
  const answered: Counts = {
    contacts: contacts.length,
    'processed events': events.length - waitingEventIds.length,
    'waiting events': waitingEventIds.length,
    ...byStatus('journey runs', journeyRuns),
    ...byStatus('sends', sends),
    subscriptions: subscriptions.length,
    ...byStatus('deliveries', deliveries),
    attempts: deliveries.reduce((sum, { attempts }) => sum + attempts.length, 0),
    'plan quota': workspace.quota,
    'add-on credits': workspace.addOnCredits,
  };
  const { rows } = await pool.query<{ name: string; count: string }>(countsOf(schema), [workspace.id]);
  const stored: Counts = Object.fromEntries(rows.map(({ name, count }) => [name, Number(count)]));
  const names = new Set([...Object.keys(answered), ...Object.keys(stored)]);
  const { rows: held } = await pool.query<{ name: string; id: string; holder: string }>(claimsOf(schema), [
    workspace.id,
  ]);
  return [
    ...[...names]
      .filter((name) => (answered[name] ?? 0) !== (stored[name] ?? 0))
      .map(
        (name) =>
          `the table has ${stored[name] ?? 0} ${name}, and the replicas answer ${answered[name] ?? 0}`,
      ),
    ...held.map(({ name, id, holder }) => `the row of the ${name} ${id} is still claimed by ${holder}`),
  ];
}

function byStatus(name: string, records: readonly { readonly status: string }[]): Counts {
  const counts: Record<string, number> = {};
  for (const { status } of records) counts[`${status} ${name}`] = (counts[`${status} ${name}`] ?? 0) + 1;
  return counts;
}

function countsOf(schema: string): string {
  return `
with
  here as (select number from ${schema}.workspaces where id = $1)
select 'contacts' as name, count(*) from ${schema}.contacts where workspace in (select number from here)
union all
select case when processed then 'processed events' else 'waiting events' end, count(*)
from ${schema}.events where workspace in (select number from here) group by 1
union all
select status || ' journey runs', count(*)
from ${schema}.journey_runs where workspace in (select number from here) group by 1
union all
select status || ' sends', count(*) from ${schema}.sends where workspace in (select number from here) group by 1
union all
select 'subscriptions', count(*) from ${schema}.subscriptions where workspace in (select number from here)
union all
select status || ' deliveries', count(*)
from ${schema}.deliveries where workspace in (select number from here) group by 1
union all
select 'attempts', coalesce(sum(cardinality(attempts)), 0)
from ${schema}.deliveries where workspace in (select number from here)
union all
select 'plan quota', quota from ${schema}.quotas where workspace in (select number from here)
union all
select 'add-on credits', add_on_credits from ${schema}.quotas where workspace in (select number from here)`;
}

/** Rows whose claim runs on though nothing is to be done any more. */
function claimsOf(schema: string): string {
  const parts = [
    ['event', 'events'],
    ['journey run', 'journey_runs'],
    ['send', 'sends'],
    ['delivery', 'deliveries'],
  ].map(
    ([name, table]) => `
select '${name}' as name, id, holder
from ${schema}.${table}
where workspace in (select number from ${schema}.workspaces where id = $1) and lease_until > clock_timestamp()`,
  );
  return parts.join('\nunion all');
}
