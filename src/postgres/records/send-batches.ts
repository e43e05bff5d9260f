import type { QuotaSource } from '../../server/model/records.js';
import type { Claim } from '../../server/store/claim.js';
import type { NewSend, SendOutcome } from '../../server/store/send-store.js';
import { Batch } from '../database/batch.js';
import { numberIn } from '../database/rows.js';
import { toText } from '../database/text.js';
import type { ReplicaContext } from './replica-context.js';
import { payerIn } from './send-rows.js';

interface Begin {
  readonly workspaceId: string;
  readonly send: NewSend;
  readonly token: string;
}

interface Settle {
  readonly workspaceId: string;
  readonly claim: Claim;
  readonly outcome: SendOutcome;
}

/** The sends that many requests begin and settle at once. */
export class SendBatches {
  /** What pays for the send. Undefined if nothing does. */
  readonly begin: Batch<Begin, QuotaSource | undefined>;
  readonly settle: Batch<Settle, boolean>;

  constructor({ database, replica, lease }: ReplicaContext) {
    this.begin = new Batch(async (begins) => {
      const rows = await database.query(
        'select of_index, paid_by from :schema.begin_sends($1, $2, $3, $4, $5, $6)',
        [
          begins.map(({ workspaceId }) => toText(workspaceId)),
          begins.map(({ send }) => toText(send.id)),
          begins.map(({ send }) => JSON.stringify(send)),
          begins.map(({ token }) => token),
          replica,
          lease,
        ],
        'begin_sends',
      );
      const payers = new Map<number, QuotaSource>(
        rows.map((row) => [numberIn(row, 'of_index'), payerIn(row)]),
      );
      return begins.map((_, index) => payers.get(index + 1));
    });
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
    });
  }
}
