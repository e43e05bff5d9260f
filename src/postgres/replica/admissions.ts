import type { AdmissionStore, Period } from '../../server/store/shared-store.js';
import { Batch, byWorkspace } from '../database/batch.js';
import type { Database } from '../database/connection.js';
import { numberIn } from '../database/rows.js';
import { rowsOf, toText } from '../database/text.js';

interface Counting {
  readonly workspaceId: string;
  readonly now: number;
  readonly length: number;
}

/** Counts the requests of all workspaces. One statement counts concurrent requests. */
export class Admissions {
  readonly #database: Database;
  readonly #batch: Batch<Counting, Period>;

  constructor(database: Database) {
    this.#database = database;
    this.#batch = new Batch((countings) => this.#count(countings), byWorkspace(database));
  }

  of(workspaceId: string): AdmissionStore {
    return {
      count: (now, length) => this.#batch.add({ workspaceId, now, length }),
      clear: async () => {
        await this.#database.query(
          'delete from :schema.admissions using :schema.workspaces w where w.id = $1 and workspace = w.number',
          [toText(workspaceId)],
        );
      },
    };
  }

  async #count(countings: readonly Counting[]): Promise<readonly Period[]> {
    // Do not wait for the disk, because the counts may be lost if the database crashes.
    const rows = await this.#database.query(
      `
with counted as (
  select
    w.number as workspace,
    max(given.now) as now,
    max(given.length) as length,
    count(*) as requests,
    array_agg(index order by index) as places
  from ${rowsOf('$1::text[]', '$2::double precision[]', '$3::double precision[]')}
    as given (workspace_id, now, length, index)
  join :schema.workspaces w on w.id = given.workspace_id
  group by w.number
), kept as (
  insert into :schema.admissions as admission (workspace, started_at, requests)
  select workspace, now, requests from counted order by workspace
  on conflict (workspace) do update
  set (started_at, requests) = (
    select
      case when is_over then excluded.started_at else admission.started_at end,
      case when is_over then excluded.requests else admission.requests + excluded.requests end
    from (
      select excluded.started_at - admission.started_at >= (
        select length from counted where counted.workspace = excluded.workspace
      )
    ) as period (is_over)
  )
  returning workspace, started_at, requests
)
select
  place::int,
  kept.started_at,
  kept.requests - counted.requests + nth as requests,
  set_config('synchronous_commit', 'off', true)
from kept
join counted using (workspace)
cross join unnest(counted.places) with ordinality as place_of (place, nth)`,
      [
        countings.map(({ workspaceId }) => toText(workspaceId)),
        countings.map(({ now }) => now),
        countings.map(({ length }) => length),
      ],
      'admissions_count',
    );
    const periods = new Map(
      rows.map((row) => [
        numberIn(row, 'place'),
        { startedAt: numberIn(row, 'started_at'), requests: numberIn(row, 'requests') },
      ]),
    );
    // In a deleted workspace, each request counts as the first of its period.
    return countings.map(({ now }, index) => periods.get(index + 1) ?? { startedAt: now, requests: 1 });
  }
}
