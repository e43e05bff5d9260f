import type { QuotaRecord, QuotaSource, SendRecord } from '../../server/model/records.js';
import type { NewSend } from '../../server/store/send-store.js';
import { numberIn, oneOfIn, recordIn } from '../database/rows.js';
import { missingWorkspace } from './replica-context.js';

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
