import { randomUUID } from 'node:crypto';
import type { Page, PageRange } from '../../server/model/page.js';
import type { QuotaChange, QuotaRecord, SendRecord } from '../../server/model/records.js';
import type {
  Claim,
  ClaimedSend,
  NewSend,
  SendFields,
  SendOutcome,
  SendStore,
} from '../../server/store/store.js';
import { toText } from '../database/text.js';
import { claimOldest } from './leases.js';
import { quotaIn, type SendBatches, sendColumns, sendIn } from './send-batches.js';
import { type Condition, isWritten, nameAndValue, type PagedTable, WorkspacePart } from './workspace-part.js';

/** One workspace's sends and quota. */
export class Sends extends WorkspacePart<SendBatches> implements SendStore {
  async readQuota(): Promise<QuotaRecord> {
    const [row] = await this.context.database.query(
      `select q.quota, q.add_on_credits
       from :schema.workspaces w join :schema.quotas q on q.workspace = w.number
       where w.id = $1`,
      [toText(this.workspaceId)],
      'read_quota',
    );
    return quotaIn(row);
  }

  async setQuota({ quota, addOnCredits }: QuotaChange): Promise<QuotaRecord> {
    const [row] = await this.context.database.query(
      `update :schema.quotas q
       set quota = coalesce($2, q.quota), add_on_credits = coalesce($3, q.add_on_credits)
       from :schema.workspaces w
       where w.id = $1 and q.workspace = w.number
       returning q.quota, q.add_on_credits`,
      [toText(this.workspaceId), quota ?? null, addOnCredits ?? null],
    );
    return quotaIn(row);
  }

  async begin(send: NewSend, step?: number): Promise<ClaimedSend | undefined> {
    const { held } = this.context;
    const token = randomUUID();
    const workspaceId = this.workspaceId;
    const runToken =
      send.journeyRunId === undefined
        ? undefined
        : held.latest('journey_runs', workspaceId, send.journeyRunId)?.token;
    const begun = await this.batches.begin.add({ workspaceId, send, step, token, runToken });
    if (begun === undefined) return undefined;
    const claim = { id: begun.send.id, token };
    held.hold({ ...claim, table: 'sends', workspaceId });
    return { claim, send: { ...begun.send, status: 'pending', paidBy: begun.paidBy } };
  }

  async findOfStep(journeyRunId: string, step: number): Promise<SendRecord | undefined> {
    const [row] = await this.context.database.query(
      `select ${sendColumns}
       from :schema.workspaces w join :schema.sends s on s.workspace = w.number
       where w.id = $1 and s.run_id = $2 and s.run_position = $3`,
      [toText(this.workspaceId), toText(journeyRunId), step],
      'find_send_of_step',
    );
    if (row === undefined) return undefined;
    return this.context.setAside.read('sends', this.workspaceId, row, sendIn);
  }

  settle(claim: Claim, outcome: SendOutcome): Promise<boolean> {
    this.context.held.take('sends', this.workspaceId, claim);
    return this.batches.settle.add({ workspaceId: this.workspaceId, claim, outcome });
  }

  async claimAbandoned(): Promise<ClaimedSend | undefined> {
    const claimed = await claimOldest(
      this.context,
      this.workspaceId,
      'sends',
      "status = 'pending' and lease_until <= clock_timestamp()",
      sendColumns,
      sendIn,
    );
    return claimed && { claim: claimed[0], send: claimed[1] };
  }

  page({ status, ...texts }: SendFields, range: PageRange): Promise<Page<SendRecord>> {
    const conditions: readonly Condition[] = [
      // Not as a parameter, because the index has only the sent ones.
      [`s.status = '${status}'`, status],
      ...Object.entries(texts).map(
        ([name, value]): Condition => [isWritten('s.record::text', name), nameAndValue(name, value)],
      ),
    ];
    return this.readPage(sendsByPlace, conditions, range);
  }
}

const sendsByPlace: PagedTable<SendRecord> = {
  name: 'sends',
  row: 's',
  columns: sendColumns,
  size: 'octet_length(s.record::text)',
  read: sendIn,
};
