import { randomUUID } from 'node:crypto';
import type { Page, PageRange } from '../../server/model/page.js';
import type { QuotaChange, QuotaRecord, QuotaSource, SendRecord } from '../../server/model/records.js';
import type {
  Claim,
  ClaimedSend,
  NewSend,
  SendFields,
  SendOutcome,
  SendStore,
} from '../../server/store/store.js';
import { Batch } from '../database/batch.js';
import { isNullIn, numberIn, objectIn, oneOfIn, recordIn } from '../database/rows.js';
import { toText } from '../database/text.js';
import { claimOldest } from './leases.js';
import { missingWorkspace } from './replica-context.js';
import { type Condition, isWritten, nameAndValue, type PagedTable, WorkspacePart } from './workspace-part.js';

export const sendColumns = 's.id, s.record::text, s.status, s.paid_by';

export function sendIn(row: unknown): SendRecord {
  return {
    ...recordIn<NewSend>(row),
    status: oneOfIn(row, 'status', ['pending', 'sent']),
    paidBy: payerIn(row),
  };
}

function payerIn(row: unknown): QuotaSource {
  return oneOfIn(row, 'paid_by', ['plan', 'add_on']);
}

export function quotaIn(row: unknown): QuotaRecord {
  if (row === undefined) throw missingWorkspace();
  return { quota: numberIn(row, 'quota'), addOnCredits: numberIn(row, 'add_on_credits') };
}

interface Begin {
  readonly send: NewSend;
  readonly token: string;
  /** The position of the step in the journey run that sends it. */
  readonly step: number | undefined;
  /** The token of this replica's claim of that run. */
  readonly runToken: string | undefined;
}

interface Settle {
  readonly claim: Claim;
  readonly outcome: SendOutcome;
}

/** One workspace's sends and quota. */
export class PostgresSends extends WorkspacePart implements SendStore {
  readonly #begins = new Batch((begins: readonly Begin[]) => this.#begin(begins));
  readonly #settles = new Batch((settles: readonly Settle[]) => this.#settle(settles));

  async readQuota(): Promise<QuotaRecord> {
    const { database, workspace } = this.context;
    const [row] = await database.query(
      `select q.quota, q.add_on_credits
       from :schema.workspaces w join :schema.quotas q on q.workspace = w.number
       where w.id = $1`,
      [workspace],
      'read_quota',
    );
    return quotaIn(row);
  }

  async setQuota({ quota, addOnCredits }: QuotaChange): Promise<QuotaRecord> {
    const { database, workspace } = this.context;
    const [row] = await database.query(
      `update :schema.quotas q
       set quota = coalesce($2, q.quota), add_on_credits = coalesce($3, q.add_on_credits)
       from :schema.workspaces w
       where w.id = $1 and q.workspace = w.number
       returning q.quota, q.add_on_credits`,
      [workspace, quota ?? null, addOnCredits ?? null],
    );
    return quotaIn(row);
  }

  async begin(send: NewSend, step?: number): Promise<ClaimedSend | undefined> {
    const { held, workspace } = this.context;
    const { journeyRunId } = send;
    const runToken =
      journeyRunId === undefined ? undefined : held.latestOfRun(workspace, journeyRunId)?.token;
    const begun = await this.#begins.add({ send, step, token: randomUUID(), runToken });
    if (begun !== undefined) held.hold({ ...begun.claim, table: 'sends', workspace });
    return begun;
  }

  async findOfStep(journeyRunId: string, step: number): Promise<SendRecord | undefined> {
    const { database, workspace, setAside } = this.context;
    const [row] = await database.query(
      `select ${sendColumns}
       from :schema.workspaces w join :schema.sends s on s.workspace = w.number
       where w.id = $1 and s.run_id = $2 and s.run_position = $3`,
      [workspace, toText(journeyRunId), step],
      'find_send_of_step',
    );
    return row === undefined ? undefined : setAside.read('sends', row, sendIn);
  }

  settle(claim: Claim, outcome: SendOutcome): Promise<boolean> {
    this.context.held.take(claim);
    return this.#settles.add({ claim, outcome });
  }

  async claimAbandoned(): Promise<ClaimedSend | undefined> {
    const claimed = await claimOldest(
      this.context,
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

  /** Begins sends. Undefined if no conversation is left, or this replica has lost its claim of the journey run. */
  async #begin(begins: readonly Begin[]): Promise<readonly (ClaimedSend | undefined)[]> {
    const { database, workspace, replica, lease } = this.context;
    const rows = await database.query(
      'select of_index, paid_by, record from :schema.begin_sends($1, $2, $3, $4, $5, $6, $7, $8, $9)',
      [
        workspace,
        begins.map(({ send }) => toText(send.id)),
        begins.map(({ send }) => JSON.stringify(send)),
        begins.map(({ token }) => token),
        begins.map(({ send }) => (send.journeyRunId === undefined ? null : toText(send.journeyRunId))),
        begins.map(({ step }) => step ?? null),
        begins.map(({ runToken }) => runToken ?? null),
        replica,
        lease,
      ],
      'begin_sends',
    );
    const begun = new Map(rows.map((row) => [numberIn(row, 'of_index') - 1, row]));
    return begins.map(({ send: given, token }, index) => {
      const row = begun.get(index);
      if (row === undefined) return undefined;
      // An earlier send if the same step of the journey run was already taken.
      const send = isNullIn(row, 'record') ? given : objectIn<NewSend>(row, 'record');
      return { claim: { id: send.id, token }, send: { ...send, status: 'pending', paidBy: payerIn(row) } };
    });
  }

  async #settle(settles: readonly Settle[]): Promise<readonly boolean[]> {
    const { database, workspace } = this.context;
    const rows = await database.query(
      'select settled from :schema.settle_sends($1, $2, $3, $4, $5) as settled',
      [
        workspace,
        settles.map(({ claim }) => toText(claim.id)),
        settles.map(({ claim }) => toText(claim.token)),
        settles.map(({ outcome }) => outcome.accepted),
        settles.map(({ outcome }) => !outcome.accepted && outcome.refund),
      ],
      'settle_sends',
    );
    const settled = new Set(rows.map((row) => numberIn(row, 'settled')));
    return settles.map((_, index) => settled.has(index + 1));
  }
}

const sendsByPlace: PagedTable<SendRecord> = {
  name: 'sends',
  row: 's',
  columns: sendColumns,
  size: 'octet_length(s.record::text)',
  read: sendIn,
};
