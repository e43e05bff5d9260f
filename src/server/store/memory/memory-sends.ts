import type { QuotaRecord, QuotaSource, SendRecord } from '../records.js';
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
      this.#sends.set(sendId, { ...send, status: 'sent' });
      return;
    }
    this.#sends.delete(sendId);
    this.#retention.delete(sendId);
    if (outcome.refund) this.#refund(send.paidBy);
  }

  list(): readonly SendRecord[] {
    return [...this.#sends.values()];
  }

  #keep(send: SendRecord): void {
    this.#sends.set(send.id, send);
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
