import type { AdmissionStore, Period } from '../../server/store/shared-store.js';
import { Batch } from '../database/batch.js';
import { numberIn } from '../database/rows.js';
import { WorkspacePart } from './workspace-part.js';

interface Counting {
  readonly now: number;
  readonly length: number;
}

/** Counts the requests to a workspace. One statement counts concurrent requests. */
export class Admissions extends WorkspacePart implements AdmissionStore {
  readonly #batch = new Batch((countings: readonly Counting[]) => this.#count(countings));

  count(now: number, length: number): Promise<Period> {
    return this.#batch.add({ now, length });
  }

  async clear(): Promise<void> {
    const { database, workspace } = this.context;
    await database.query(
      'delete from :schema.admissions using :schema.workspaces w where w.id = $1 and workspace = w.number',
      [workspace],
    );
  }

  async #count(countings: readonly Counting[]): Promise<readonly Period[]> {
    const { database, workspace } = this.context;
    // Do not wait for the disk, because the counts may be lost if the database crashes.
    const [row] = await database.query(
      `
insert into :schema.admissions as admission (workspace, started_at, requests)
select number, $2, $4 from :schema.workspaces where id = $1
on conflict (workspace) do update
set (started_at, requests) = (
  select
    case when is_over then excluded.started_at else admission.started_at end,
    case when is_over then excluded.requests else admission.requests + excluded.requests end
  from (select excluded.started_at - admission.started_at >= $3) as period (is_over)
)
returning started_at, requests, set_config('synchronous_commit', 'off', true)`,
      [
        workspace,
        Math.max(...countings.map(({ now }) => now)),
        Math.max(...countings.map(({ length }) => length)),
        countings.length,
      ],
      'admissions_count',
    );
    // In a deleted workspace, each request counts as the first of its period.
    if (row === undefined) return countings.map(({ now }) => ({ startedAt: now, requests: 1 }));
    const before = numberIn(row, 'requests') - countings.length;
    return countings.map((_, index) => ({
      startedAt: numberIn(row, 'started_at'),
      requests: before + index + 1,
    }));
  }
}
