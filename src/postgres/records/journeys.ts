import { randomUUID } from 'node:crypto';
import type { Page, PageRange } from '../../server/model/page.js';
import type { JourneyRecord, JourneyRunRecord } from '../../server/model/records.js';
import type { Claim, ClaimedRun, JourneyStore } from '../../server/store/store.js';
import { recordIn } from '../database/rows.js';
import { toText } from '../database/text.js';
import { PostgresDefinitions } from './definitions.js';
import { release } from './leases.js';
import type { PagedTable } from './workspace-part.js';

/** One workspace's journeys and their runs. */
export class PostgresJourneys extends PostgresDefinitions<JourneyRecord> implements JourneyStore {
  listStartedBy(event: string): Promise<readonly JourneyRecord[]> {
    return this.listBy('event', event);
  }

  async claimRun(runId: string, now: number): Promise<ClaimedRun | undefined> {
    const { database, workspace, replica, lease, held, setAside } = this.context;
    const token = randomUUID();
    const [row] = await database.query(
      `update :schema.journey_runs r
       set token = $4, holder = $5, lease_until = clock_timestamp() + $6 * interval '1 millisecond'
       from :schema.workspaces w
       where w.id = $1 and r.workspace = w.number and r.id = $2 and r.status = 'waiting' and r.due_at <= $3
         and (r.lease_until is null or r.lease_until <= clock_timestamp())
       returning r.id, r.record::text`,
      [workspace, toText(runId), now, token, replica, lease],
      'claim_run',
    );
    if (row === undefined) return undefined;
    const run = await setAside.read('journey_runs', row, recordIn<JourneyRunRecord>);
    if (run === undefined) return undefined;
    const claim = { id: runId, token };
    held.hold({ ...claim, table: 'journey_runs', workspace, now });
    return { claim, run };
  }

  async saveRun(claim: Claim, run: JourneyRunRecord): Promise<boolean> {
    const { database, workspace, held } = this.context;
    const { now = Number.NEGATIVE_INFINITY } = held.take(claim) ?? {};
    const saved = await database.query(
      `with saved as (
         update :schema.journey_runs r
         set status = $4, due_at = $5, record = $6, token = null, holder = null, lease_until = null
         from :schema.workspaces w
         where w.id = $1 and r.workspace = w.number and r.id = $2 and r.token = $3
         returning r.workspace
       )
       select case when $7 then :schema.wake_at(workspace, 'journey_run', $2, $5) end from saved`,
      [
        workspace,
        toText(claim.id),
        toText(claim.token),
        run.status,
        run.dueAt,
        JSON.stringify(run),
        run.status === 'waiting' && run.dueAt > now,
      ],
      'save_run',
    );
    return saved.length > 0;
  }

  releaseRun(claim: Claim): Promise<void> {
    return release(this.context, [{ ...claim, table: 'journey_runs', workspace: this.context.workspace }]);
  }

  pageOfRuns(range: PageRange): Promise<Page<JourneyRunRecord>> {
    return this.readPage(runsByPlace, [], range);
  }
}

const runsByPlace: PagedTable<JourneyRunRecord> = {
  name: 'journey_runs',
  row: 'r',
  columns: 'r.id, r.record::text',
  size: 'octet_length(r.record::text)',
  read: recordIn,
};
