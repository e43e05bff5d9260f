import type { QuotaChange, QuotaRecord, QuotaSource, SendRecord } from '../../model/records.js';
import type { SendOutcome } from '../store.js';
import { Retention } from './retention.js';

/** One workspace's sends in memory, and what pays for them. */
export class MemorySends {
  readonly #sends = new Map<string, SendRecord>();
  readonly #retention: Retention;
  #quota: number;
  #addOnCredits: number;

  constructor({ quota, addOnCredits }: QuotaRecord, kept: number, sends: readonly SendRecord[] = []) {
    this.#quota = quota;
    this.#addOnCredits = addOnCredits;
    this.#retention = new Retention(kept);
    for (const send of sends) this.#keep(send);
  }

  get quota(): QuotaRecord {
    return { quota: this.#quota, addOnCredits: this.#addOnCredits };
  }

  setQuota({ quota = this.#quota, addOnCredits = this.#addOnCredits }: QuotaChange): QuotaRecord {
    this.#quota = quota;
    this.#addOnCredits = addOnCredits;
    return this.quota;
  }

  get forgotten(): number {
    return this.#retention.forgotten;
  }

  begin(send: Omit<SendRecord, 'status' | 'paidBy'>): SendRecord | undefined {
    const paidBy = this.#spend();
    if (paidBy === undefined) return undefined;
    const begun: SendRecord = { ...send, status: 'pending', paidBy };
    this.#keep(begun);
    return begun;
  }

  settle(sendId: string, outcome: SendOutcome): void {
    const send = this.#sends.get(sendId);
    if (send?.status !== 'pending') return;
    if (outcome.accepted) {
      this.#keep({ ...send, status: 'sent' });
      return;
    }
    this.#sends.delete(sendId);
    if (outcome.refund) this.#refund(send.paidBy);
  }

  list(): readonly SendRecord[] {
    return [...this.#sends.values()];
  }

  /** What would be left, and the sends, if those under way had not begun. */
  withoutPending(): { readonly quota: QuotaRecord; readonly sends: readonly SendRecord[] } {
    const sends = this.list();
    const heldOf = (source: QuotaSource) =>
      sends.filter(({ status, paidBy }) => status === 'pending' && paidBy === source).length;
    return {
      quota: { quota: this.#quota + heldOf('plan'), addOnCredits: this.#addOnCredits + heldOf('add_on') },
      sends: sends.filter(({ status }) => status !== 'pending'),
    };
  }

  #keep(send: SendRecord): void {
    this.#sends.set(send.id, send);
    // A send under way is never forgotten: what it took may have to be given back.
    if (send.status === 'pending') return;
    const forgotten = this.#retention.add(send.id);
    if (forgotten !== undefined) this.#sends.delete(forgotten);
  }

  #spend(): QuotaSource | undefined {
    if (this.#quota > 0) {
      this.#quota -= 1;
      return 'plan';
    }
    if (this.#addOnCredits > 0) {
      this.#addOnCredits -= 1;
      return 'add_on';
    }
    return undefined;
  }

  #refund(source: QuotaSource): void {
    if (source === 'plan') this.#quota += 1;
    else this.#addOnCredits += 1;
  }
}
