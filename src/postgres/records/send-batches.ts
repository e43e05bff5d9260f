import type { QuotaRecord, QuotaSource, SendRecord } from '../../server/model/records.js';
import type { Claim, NewSend, SendOutcome } from '../../server/store/store.js';
import { Batch, byWorkspace } from '../database/batch.js';
import { isNullIn, numberIn, objectIn, oneOfIn, recordIn } from '../database/rows.js';
import { toText } from '../database/text.js';
import { missingWorkspace, type ReplicaContext } from './replica-context.js';

export const sendColumns = 's.id, s.record::text, s.status, s.paid_by';

export function sendIn(row: unknown): SendRecord {
  return { ...recordIn<NewSend>(row), status: statusIn(row), paidBy: payerIn(row) };
}

export function payerIn(row: unknown): QuotaSource {
  return oneOfIn(row, 'paid_by', ['plan', 'add_on']);
}

export function quotaIn(row: unknown): QuotaRecord {
  if (row === undefined) throw missingWorkspace();
  return { quota: numberIn(row, 'quota'), addOnCredits: numberIn(row, 'add_on_credits') };
}

function statusIn(row: unknown): SendRecord['status'] {
  return oneOfIn(row, 'status', ['pending', 'sent']);
}

interface Begin {
  readonly workspaceId: string;
  readonly send: NewSend;
  readonly token: string;
  /** The position of the step in the journey run that sends it. */
  readonly step: number | undefined;
  /** The token of this replica's claim of that run. */
  readonly runToken: string | undefined;
}

/** A send that began, and what pays for it. An earlier send if the same step of the journey run was already taken. */
interface Begun {
  readonly send: NewSend;
  readonly paidBy: QuotaSource;
}

interface Settle {
  readonly workspaceId: string;
  readonly claim: Claim;
  readonly outcome: SendOutcome;
}

/** Combines the sends that many requests begin and settle. */
export class SendBatches {
  /** Begins sends. Undefined if no conversation is left, or this replica has lost its claim of the journey run. */
  readonly begin: Batch<Begin, Begun | undefined>;
  readonly settle: Batch<Settle, boolean>;

  constructor({ database, replica, lease }: ReplicaContext) {
    this.begin = new Batch(async (begins) => {
      const rows = await database.query(
        'select of_index, paid_by, record from :schema.begin_sends($1, $2, $3, $4, $5, $6, $7, $8, $9)',
        [
          begins.map(({ workspaceId }) => toText(workspaceId)),
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
      return begins.map(({ send }, index) => {
        const row = begun.get(index);
        if (row === undefined) return undefined;
        return {
          send: isNullIn(row, 'record') ? send : objectIn<NewSend>(row, 'record'),
          paidBy: payerIn(row),
        };
      });
    }, byWorkspace(database));
    this.settle = new Batch(async (settles) => {
      const rows = await database.query(
        'select settled from :schema.settle_sends($1, $2, $3, $4, $5) as settled',
        [
          settles.map(({ workspaceId }) => toText(workspaceId)),
          settles.map(({ claim }) => toText(claim.id)),
          settles.map(({ claim }) => toText(claim.token)),
          settles.map(({ outcome }) => outcome.accepted),
          settles.map(({ outcome }) => !outcome.accepted && outcome.refund),
        ],
        'settle_sends',
      );
      const settled = new Set(rows.map((row) => numberIn(row, 'settled')));
      return settles.map((_, index) => settled.has(index + 1));
    }, byWorkspace(database));
  }
}
